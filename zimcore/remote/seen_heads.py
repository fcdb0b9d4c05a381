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

    def check_entries(self, answer: CopyAnswer, own_entries: Sequence[Entry]) -> None:
        """Raises `AlteredError` if an answer contradicts an earlier one, `DamagedError` if it is inconsistent.

        `own_entries` are those of the line itself, without those of lines that it was forked from.
        """
        stream, last_entry = answer.stream, self.mirror.last_entry(answer.stream)
        if last_entry and answer.revision < last_entry.revision:
            raise self._rewritten_error(answer, last_entry.revision, last_entry.digest.hex(), "")
        previous_revision = own_entries[0].rows[0][0] - 1 if own_entries else answer.revision
        previous_entry = self.mirror.entry_at(stream, previous_revision)
        if (
            last_entry
            and previous_revision >= 0
            and (previous_entry is None or previous_entry.digest.hex() != answer.before)
        ):
            wrong_entry = previous_entry or last_entry
            raise self._rewritten_error(answer, wrong_entry.revision, wrong_entry.digest.hex(), answer.before)
        if (previous_revision >= 0 and last_entry is None) or (
            own_entries and not answer.more and own_entries[-1].revision != answer.revision
        ):
            raise DamagedError(f"{place_of(answer)} has gaps", f"{self.server} sent it so", stream=stream)
        if not any((line.name, line.stream) == (answer.line, stream) for line in answer.lines):
            raise DamagedError(f"{place_of(answer)} has no name", f"{self.server} sent it so", stream=stream)
        is_bound = previous_entry is not None and self.mirror.is_placed(previous_entry)
        for entry in own_entries:
            known_entry = self.mirror.entry_at(stream, entry.revision)
            if known_entry and known_entry.digest != entry.digest:
                raise self._rewritten_error(answer, known_entry.revision, known_entry.digest.hex(), entry.digest.hex())
            check_follows(entry, previous_entry)
            is_bound = check_place(entry, previous_entry, is_bound=is_bound)
            previous_entry = entry

    def check_seen_head(self, answer: CopyAnswer, own_entries: Sequence[Entry], memory: Memory) -> None:
        """Raises `AlteredError` if the head that any process of this user saw is missing on the server."""
        seen_head = memory.heads.get(answer.stream)
        if seen_head is None or answer.more:
            return
        own_entry = next((entry for entry in own_entries if entry.revision == seen_head.revision), None)
        known_entry = own_entry or self.mirror.entry_at(answer.stream, seen_head.revision)
        if known_entry is None or known_entry.digest.hex() != seen_head.digest:
            raise self._rewritten_error(
                answer, seen_head.revision, seen_head.digest, known_entry.digest.hex() if known_entry else ""
            )

    def check_keys(self, answer: CopyAnswer, memory: Memory, own_key: str) -> None:
        """Raises `AlteredError` if a seat lacks a key that it had, or your seat lacks `own_key`, yours.

        New keys may follow; `verify` checks that each was signed with the one before. A key must also not count from a
        later revision than before: commits in between would then need no signature.
        """
        current_keys_by_seat: dict[str, list[BoundSeat]] = {}
        for bound_seat in answer.bound:
            current_keys_by_seat.setdefault(bound_seat.seat, []).append(bound_seat)
        seen_keys_by_seat: dict[str, list[BoundSeat]] = {}
        for bound_seat in memory.keys.get(answer.game, ()):
            seen_keys_by_seat.setdefault(bound_seat.seat, []).append(bound_seat)
        for seat, seen_keys in seen_keys_by_seat.items():
            current_keys = current_keys_by_seat.get(seat, [])
            if len(current_keys) < len(seen_keys) or not all(
                map(self._is_same_binding, seen_keys, current_keys, [memory] * len(seen_keys))
            ):
                raise self._changed_key_error(answer, seat, seen_keys[-1].key)
        if own_key and own_key not in [bound_seat.key for bound_seat in current_keys_by_seat.get(answer.seat, [])]:
            raise self._changed_key_error(answer, answer.seat, own_key)
        for bound_seat in answer.bound:
            if bound_seat.since.get(answer.stream, -1) > answer.revision:
                raise DamagedError(
                    f"{place_of(answer)} has keys that count from a later commit on", f"{self.server} says so"
                )

    @staticmethod
    def _is_same_binding(seen_binding: BoundSeat, current_binding: BoundSeat, memory: Memory) -> bool:
        has_same_keys = (seen_binding.key, seen_binding.signed, seen_binding.proof) == (
            current_binding.key,
            current_binding.signed,
            current_binding.proof,
        )
        counts_from_same_revisions = all(
            current_binding.since.get(stream, revision) == revision for stream, revision in seen_binding.since.items()
        )
        return (
            has_same_keys
            and counts_from_same_revisions
            and not any(stream in memory.heads for stream in current_binding.since.keys() - seen_binding.since.keys())
        )

    def _changed_key_error(self, answer: CopyAnswer, seat: str, key: str) -> AlteredError:
        title = (
            f"{self.server} has taken the key of {seat} in {answer.game} away, or changed the time from which it counts"
        )
        return AlteredError(title, f"you have seen {key[:16]}", (f"tell the host; it is remembered in {self.file}",))

    def _rewritten_error(self, answer: CopyAnswer, revision: int, seen_digest: str, served_digest: str) -> AlteredError:
        title = f"{self.server} has rewritten {place_of(answer)}"
        served_text = f"now it has {served_digest[:12]}" if served_digest else "now it has nothing"
        hints = (f"tell the host; what you saw is remembered in {self.file}",)
        return AlteredError(
            title, f"at revision {revision} you have seen {seen_digest[:12]}, and {served_text} there", hints
        )


def place_of(answer: CopyAnswer) -> str:
    """The place of the line in an answer: `GAME/LINE`."""
    return f"{answer.game}/{answer.line}"
