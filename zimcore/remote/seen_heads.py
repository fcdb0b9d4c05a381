"""Rollback detection: checks that a server has not rewritten history that this client saw before.

In other words: fork consistency.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from event_store import AlteredError, DamagedError, Entry
from zimcore.documents.copies import BoundSeat, CopyAnswer
from zimcore.remote.client_files import Memory
from zimcore.remote.mirror import Mirror, check_follows, check_place


class SeenHistory(NamedTuple):
    """The heads seen on a server: by this process in the mirror, by earlier processes in a file."""

    mirror: Mirror
    server: str
    file: Path

    def check(self, answer: CopyAnswer, own_entries: Sequence[Entry]) -> None:
        """Raises `AlteredError` if an answer contradicts an earlier one, `DamagedError` if it is inconsistent.

        `own_entries` are those of the line itself, without those of lines that it was forked from.
        """
        stream, last = answer.stream, self.mirror.last(answer.stream)
        if last and answer.revision < last.revision:
            raise self._rewritten(answer, last.revision, last.digest.hex(), "")
        after = own_entries[0].rows[0][0] - 1 if own_entries else answer.revision
        before = self.mirror.at(stream, after)
        if last and after >= 0 and (before is None or before.digest.hex() != answer.before):
            known_entry = before or last
            raise self._rewritten(answer, known_entry.revision, known_entry.digest.hex(), answer.before)
        if (after >= 0 and last is None) or (
            own_entries and not answer.more and own_entries[-1].revision != answer.revision
        ):
            raise DamagedError(f"{place_of(answer)} has gaps", f"{self.server} sent it so", stream=stream)
        if not any((each.name, each.stream) == (answer.line, stream) for each in answer.lines):
            raise DamagedError(f"{place_of(answer)} has no name", f"{self.server} sent it so", stream=stream)
        is_bound = before is not None and self.mirror.is_placed(before)
        for entry in own_entries:
            known_entry_ = self.mirror.at(stream, entry.revision)
            if known_entry_ and known_entry_.digest != entry.digest:
                raise self._rewritten(answer, known_entry_.revision, known_entry_.digest.hex(), entry.digest.hex())
            check_follows(entry, before)
            is_bound = check_place(entry, before, is_bound=is_bound)
            before = entry

    def check_seen(self, answer: CopyAnswer, own: Sequence[Entry], memory: Memory) -> None:
        """Raises `AlteredError` if the head that any process of this user saw is missing on the server."""
        seen_head = memory.heads.get(answer.stream)
        if seen_head is None or answer.more:
            return
        each = next((entry for entry in own if entry.revision == seen_head.revision), None)
        known_head = each or self.mirror.at(answer.stream, seen_head.revision)
        if known_head is None or known_head.digest.hex() != seen_head.digest:
            raise self._rewritten(
                answer, seen_head.revision, seen_head.digest, known_head.digest.hex() if known_head else ""
            )

    def check_keys(self, answer: CopyAnswer, memory: Memory, own: str) -> None:
        """Raises `AlteredError` if a seat lacks a key that it had, or your seat lacks your `own` key.

        New keys may follow; `verify` checks that each was signed with the one before. A key must also not count from a
        later revision than before: commits in between would then need no signature.
        """
        by_seat: dict[str, list[BoundSeat]] = {}
        for each in answer.bound:
            by_seat.setdefault(each.seat, []).append(each)
        seen_keys: dict[str, list[BoundSeat]] = {}
        for each in memory.keys.get(answer.game, ()):
            seen_keys.setdefault(each.seat, []).append(each)
        for seat, before in seen_keys.items():
            current_keys = by_seat.get(seat, [])
            if len(current_keys) < len(before) or not all(
                map(self._check_same, before, current_keys, [memory] * len(before))
            ):
                raise self._other_keys(answer, seat, before[-1].key)
        if own and own not in [each.key for each in by_seat.get(answer.seat, [])]:
            raise self._other_keys(answer, answer.seat, own)
        for each in answer.bound:
            if each.since.get(answer.stream, -1) > answer.revision:
                raise DamagedError(
                    f"{place_of(answer)} has keys that count from a later commit on", f"{self.server} says so"
                )

    @staticmethod
    def _check_same(before: BoundSeat, current: BoundSeat, memory: Memory) -> bool:
        same_keys = (before.key, before.signed, before.proof) == (current.key, current.signed, current.proof)
        is_same_since = all(current.since.get(stream, at) == at for stream, at in before.since.items())
        return (
            same_keys
            and is_same_since
            and not any(each in memory.heads for each in current.since.keys() - before.since.keys())
        )

    def _other_keys(self, answer: CopyAnswer, seat: str, key: str) -> AlteredError:
        what = (
            f"{self.server} has taken the key of {seat} in {answer.game} away, or changed the time from which it counts"
        )
        return AlteredError(what, f"you have seen {key[:16]}", (f"tell the host; it is remembered in {self.file}",))

    def _rewritten(self, answer: CopyAnswer, revision: int, seen_digest: str, served_digest: str) -> AlteredError:
        what = f"{self.server} has rewritten {place_of(answer)}"
        current_text = f"now it has {served_digest[:12]}" if served_digest else "now it has nothing"
        hints = (f"tell the host; what you saw is remembered in {self.file}",)
        return AlteredError(
            what, f"at revision {revision} you have seen {seen_digest[:12]}, and {current_text} there", hints
        )


def place_of(answer: CopyAnswer) -> str:
    """The place of the line in an answer: `GAME/LINE`."""
    return f"{answer.game}/{answer.line}"
