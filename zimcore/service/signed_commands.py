"""Signed commands: each is signed by the key that its seat is bound to.

A proof is the public key (32 bytes) and the signature (64 bytes, ed25519), and is sealed with its commit. Signed are
the game (the digest of its first commit), the digest of the commit that this one builds on, the seat and the command in
the bytes in which they are stored, and the command id: it holds there and nowhere else. The client
signs: it has the key.

In other words: digital signature.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from event_store import Entry
from event_store.codec import encode
from event_store.line_history import EntryReader
from zimcore.commits import Commit
from zimcore.game import Event, GameError, Played, Seat, UnknownError
from zimcore.service.bindings import Binding, Bindings, Signer

PURPOSE = b"zim command 1\n"
KEY, SIGNATURE = 32, 64
"""Bytes of a public key, and of a signature."""

Wanted: TypeAlias = Callable[[Entry, int, Seat], str]
"""The key (hex) with which a commit has to be signed: its entry, its number, its seat; "" if with none.

`FREE` where nobody signs, whatever they have signed before; `FREE_IF_NEW` where only who has signed before does.
"""
FREE, FREE_IF_NEW = "free", "free if new"


def message(game: bytes, parent: bytes, topic: str, played: bytes, command_id: str) -> bytes:
    """What is signed of a command: `played` are the bytes of its first event, which has the seat and the command."""
    return PURPOSE + encode((game, parent, topic, played, command_id))


def message_of(game: bytes, entry: Entry) -> bytes:
    """What has to be signed under a commit that is stored."""
    _, topic, played = entry.rows[0]
    return message(game, entry.parent, topic, played, entry.seal.id)


def prove_command(by: str, key: str, signed: bytes, signer: Signer | None, seat: Seat) -> bytes:
    """The proof of a command. Raises `GameError` if it can't be signed, or is signed with another key."""
    if signer is None:
        raise GameError(
            f"{seat}'s commands are signed", f"with the key {key[:16]}, which is not on this machine", ["key list"]
        )
    proof = bytes.fromhex(key) + signer(by, key, signed)
    if not is_signed(proof, signed):
        raise GameError(f"{seat}'s commands are signed", f"this was not, with the key {key[:16]}", ["key list"])
    return proof


def check_key(seat: Seat, key: str, seats: Collection[Seat]) -> None:
    """Raises `UnknownError` for a seat that is not there, `GameError` for what is no public key."""
    if seat not in seats:
        raise UnknownError(f"no player has the seat {seat!r} here", "", list(seats))
    if not re.fullmatch(f"[0-9a-f]{{{2 * KEY}}}", key):
        raise GameError(f"not a key: {key!r}", "a public key has 64 hex digits, as `key` shows it", ["key"])


def check_unbound(bound: Collection[Seat], commits: Iterable[Commit]) -> None:
    """Raises `GameError` for signed commands: a signature holds for one position only, so they can't be replayed."""
    for commit in commits:
        if commit.seat in bound:
            why = f"{commit.seat}'s commands are signed, each where it stands, and this would play it somewhere else"
            raise GameError(f"@{commit.number} {commit.seat}: {commit.text}", why, ["fork PLACE NAME", "try"])


def check_unsigned(bound: Collection[Seat], commits: Iterable[tuple[Sequence[Event], bytes]]) -> None:
    """Raises `GameError` for commits of a seat that was bound to a key while they were made: they are not signed."""
    for events, _ in commits:
        if isinstance(played := events[0], Played) and played.seat in bound:
            raise GameError(f"{played.seat}'s commands are signed", "by now, and this was not", ["fork PLACE NAME"])


def key_of(proof: bytes) -> str:
    """The public key in a proof, in hex."""
    return proof[:KEY].hex()


def is_signed(proof: bytes, signed: bytes) -> bool:
    """Whether a proof is genuine. Raises `GameError` where the library for signatures is not installed."""
    from zimcore.service.ed25519 import is_signature  # loads a library that few games need

    return len(proof) == KEY + SIGNATURE and is_signature(proof[:KEY], proof[KEY:], signed)


class SignatureAudit(msgspec.Struct, eq=False):
    """The proofs along a line that is audited: who has signed what, and whether it is who had to.

    What a seat has signed once it signs from then on, also where nothing says any more that it is bound to a key.
    `free` is the number of the first command that needs no signature, as its line began as a seat's own.
    """

    wanted: Wanted
    first: bytes = b""
    keys: dict[bytes, Mapping[Seat, str]] = {}
    free: int = 0
    signers: dict[tuple[str, Seat, str], None] = {}

    def fault(self, entry: Entry, number: int, played: Played) -> str:
        """What is wrong with the proof of a commit, after all that it builds on; "" if nothing is."""
        self.first = self.first or entry.digest
        seat, proof = played.seat, entry.seal.proof
        before = self.keys.get(entry.parent, {})
        wanted, signed = (self.wanted(entry, number, seat), before.get(seat, "")) if seat else ("", "")
        if wanted == FREE_IF_NEW:
            wanted = signed if signed or proof else FREE
        wanted = wanted or signed
        if wanted == FREE:
            self.keys[entry.digest], self.free = before, self.free or number
            return ""
        key = key_of(proof)
        self.keys[entry.digest] = {**before, seat: key} if proof and before.get(seat) != key else before
        if wanted and not proof:
            return f"{seat}'s command is not signed, with the key {wanted[:16]}"
        if proof and not is_signed(proof, message_of(self.first, entry)):
            return f"{seat}'s command was not signed with the key {key[:16]}"
        if wanted and wanted != key:
            return f"{seat}'s command is signed with the key {key[:16]}, not with {wanted[:16]}"
        if proof:
            self.signers[entry.seal.by, seat, key] = None
        return ""


def nobody(entry: Entry, number: int, seat: Seat) -> str:
    """The key that is needed if no seat is bound: none."""
    del entry, number, seat
    return ""


def keys_by_revision(bindings: Bindings, own: Collection[str], read: EntryReader) -> Wanted:
    """The keys that are wanted on the lines of a game with seats that are bound: not for what was there before.

    That may stand in another stream too: a line that was imported brings its past along. On lines that are a seat's
    `own` (their streams) nobody signs.
    """
    there: dict[tuple[Seat, int], set[bytes]] = {}

    def was_there(entry: Entry, seat: Seat, number: int, binding: Binding) -> bool:
        since = binding.since
        if entry.revision <= since.get(entry.stream, -1):
            return True
        if (seat, number) not in there:
            streams = since.items()
            there[seat, number] = {each.digest for stream, at in streams for each in read(stream, until=at)}
        return entry.digest in there[seat, number]

    def key_for(entry: Entry, number: int, seat: Seat) -> str:
        del number
        if entry.stream in own:
            return FREE
        for at, binding in reversed([*enumerate(bindings.get(seat, ()))]):
            if not was_there(entry, seat, at, binding):
                return binding.key
        return ""

    return key_for if bindings else nobody
