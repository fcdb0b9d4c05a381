"""The terms of a game as text: the delay for spectators (`delay=10`, `delay=2h`) and the time (`pace=3d`, `bank=7d`).

The host sets them: see `TermsSet`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from zimcore.game import OptionError
from zimcore.service.records.memberships import TermsSet

UNIT_SECONDS = {"w": 7 * 86400, "d": 86400, "h": 3600, "m": 60, "s": 1}
"""Seconds of each unit, the longest first."""
MAX_SECONDS = 3650 * 86400
"""The longest time of a term."""
MAX_MOVES = 1000
"""The most moves that spectators may be behind."""
NO_TIME_TEXTS = ("", "0", "none")
TERM_KEYS = ("delay", "pace", "bank")


def parse_duration(text: str, key: str) -> int:
    """Parses a duration: seconds, 0 for none. Raises `OptionError`, naming the term `key`.

    >>> parse_duration("3d", "pace"), parse_duration("1h30m", "pace"), parse_duration("none", "pace")
    (259200, 5400, 0)
    """
    if text in NO_TIME_TEXTS:
        return 0
    number_unit_pairs = re.findall(r"([0-9]{1,9})([wdhms])", text)
    seconds = sum(int(number) * UNIT_SECONDS[unit] for number, unit in number_unit_pairs)
    if "".join(map("".join, number_unit_pairs)) != text or not 0 < seconds <= MAX_SECONDS:
        why = "a time is written in weeks, days, hours, minutes or seconds, ten years at most"
        raise OptionError(f"{key}={text}", why, [f"{key}=3d", f"{key}=1h30m", f"{key}=none"])
    return seconds


def format_duration(seconds: float) -> str:
    """Seconds as text, in the two largest units; "none" for 0.

    >>> format_duration(259200), format_duration(5400), format_duration(0), format_duration(90061)
    ('3d', '1h30m', 'none', '1d1h')
    """
    remaining_seconds, unit_texts = int(seconds), list[str]()
    for unit, unit_seconds in UNIT_SECONDS.items():
        if unit == "w" and remaining_seconds % unit_seconds:  # use weeks only for whole weeks
            continue
        number, remaining_seconds = divmod(remaining_seconds, unit_seconds)
        if number:
            unit_texts.append(f"{number}{unit}")
    return "".join(unit_texts[:2]) or "none"


def changed_terms(old_terms: TermsSet, texts_by_key: Mapping[str, str]) -> TermsSet:
    """The terms after changes, given as texts by key. Raises `OptionError`."""
    moves, delay, pace, bank = old_terms.behind_moves, old_terms.behind, old_terms.pace, old_terms.bank
    if "delay" in texts_by_key:
        text = texts_by_key["delay"]
        moves = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
        delay = 0 if moves or text in NO_TIME_TEXTS else parse_duration(text, "delay")
        if moves > MAX_MOVES:
            raise OptionError(f"delay={text}", f"{MAX_MOVES} moves are the limit", ["delay=10", "delay=2h"])
    if "pace" in texts_by_key:
        pace = parse_duration(texts_by_key["pace"], "pace")
    if "bank" in texts_by_key:
        bank = parse_duration(texts_by_key["bank"], "bank")
    if bank and not pace:
        if "bank" in texts_by_key:
            raise OptionError(
                f"bank={texts_by_key['bank']}", "a bank is the time beyond the pace: give both", ["pace=3d bank=7d"]
            )
        bank = 0
    return TermsSet(moves, delay, pace, bank)


def term_texts(terms: TermsSet) -> dict[str, str]:
    """The terms that are set, as typed texts by key."""
    delay = str(terms.behind_moves) if terms.behind_moves else format_exact_duration(terms.behind)
    texts = {"delay": delay, "pace": format_exact_duration(terms.pace), "bank": format_exact_duration(terms.bank)}
    return {key: text for key, text in texts.items() if text}


def format_exact_duration(seconds: int) -> str:
    """Seconds as exact text; "" for 0.

    >>> format_exact_duration(90061)
    '1d1h1m1s'
    """
    remaining_seconds, text = seconds, ""
    for unit, unit_seconds in UNIT_SECONDS.items():
        number, remaining_seconds = divmod(remaining_seconds, unit_seconds)
        text += f"{number}{unit}" if number else ""
    return text


def terms_text(terms: TermsSet) -> str:
    """The terms in one line: `delay=10 pace=3d`; "none" if none are set."""
    return " ".join(f"{key}={text}" for key, text in term_texts(terms).items()) or "none"
