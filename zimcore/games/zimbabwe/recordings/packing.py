"""Unpacks the data of a saved game: JSON, packed by gzip and base64 or, in older games, by the LZ compression of pages.

Files come from others: what is unpacked has at most `MAX_CHARACTERS`, and nothing in it is run.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from binascii import Error as Base64Error
from typing import Any

import msgspec

MAX_CHARACTERS = 4 << 20
"""The most characters of unpacked data: the longest games have some 100,000."""
MAX_DEPTH = 16
"""How deep its brackets may be nested; a game needs 6."""
GZIP_TEXT = re.compile(r"H4sI[A-Za-z0-9+/]{20,}={0,2}")
LZ_TEXT = re.compile(r"[A-Za-z0-9+$-]{20,}")
LZ_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-$"
LZ_LITERALS = {0: 8, 1: 16}
"""The codes of new characters, and the bits of the character that follows."""
LZ_END = 2


def unpack(text: str) -> Any:
    """The value in a packed text, or in plain JSON; None if it is neither."""
    text = text.strip()
    if GZIP_TEXT.fullmatch(text):
        return parse_json(_gunzip(text))
    if LZ_TEXT.fullmatch(text):
        return parse_json(decompress_lz(text))
    return parse_json(text)


def parse_json(text: str) -> Any:
    """The value of a text in JSON; None for other texts."""
    if not text or len(text) > MAX_CHARACTERS or _depth(text) > MAX_DEPTH:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _depth(text: str) -> int:
    """How deep brackets are nested, counting those in strings, too."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _gunzip(text: str) -> str:
    """The text in base64 of gzip; "" if it is damaged, or longer than the limit."""
    try:
        unpacker = zlib.decompressobj(wbits=31)
        content = unpacker.decompress(b64decode(text, validate=True), MAX_CHARACTERS)
    except (Base64Error, zlib.error, ValueError):
        return ""
    return content.decode("utf-8", errors="replace") if unpacker.eof else ""


def decompress_lz(text: str) -> str:
    """The text that LZ-string's `compressToEncodedURIComponent` has packed; "" if it is damaged, or too long.

    Each letter has 6 bits. Codes grow from 2 bits as the dictionary grows; a code names an entry of the dictionary, a
    new character that follows in 8 or 16 bits, or the end. Each further entry is the last phrase with one character.

    >>> decompress_lz("BYUwNmD2Q")
    'hello'
    >>> decompress_lz("Wg")
    ''
    """
    values = [LZ_LETTERS.find(letter) for letter in text]
    if -1 in values:
        return ""
    bits = (value >> shift & 1 for value in values for shift in range(5, -1, -1))
    try:
        return _decode_phrases(bits)
    except (StopIteration, RuntimeError):
        return ""


def _decode_phrases(bits: Any) -> str:
    def read(count: int) -> int:
        return sum(next(bits) << position for position in range(count))

    code = read(2)
    if code not in LZ_LITERALS:
        return ""
    phrase = chr(read(LZ_LITERALS[code]))
    phrases, entries, length = [phrase], {3: phrase}, 1
    width, free_codes = 3, 4
    while (code := read(width)) != LZ_END:
        if code in LZ_LITERALS:
            entries[len(entries) + 3] = chr(read(LZ_LITERALS[code]))
            code = len(entries) + 2
            free_codes -= 1
            if not free_codes:
                free_codes, width = 1 << width, width + 1
        if code == len(entries) + 3:
            entry = phrase + phrase[0]
        elif code in entries:
            entry = entries[code]
        else:
            return ""
        phrases.append(entry)
        length += len(entry)
        if length > MAX_CHARACTERS:
            return ""
        entries[len(entries) + 3] = phrase + entry[0]
        phrase = entry
        free_codes -= 1
        if not free_codes:
            free_codes, width = 1 << width, width + 1
    return "".join(phrases)
