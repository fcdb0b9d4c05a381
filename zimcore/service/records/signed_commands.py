"""Signed commands: each is signed with the key that its seat is bound to.

A proof is the public key (32 bytes) and the signature (64 bytes, Ed25519); it is sealed with its commit. The signature
covers the game (the digest of its first commit), the digest of the parent commit, the stored bytes of seat and command,
and the command id, so it is valid in that one place only. The client signs, as it has the key.

In other words: digital signature.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from event_store import Entry
from event_store.codec import encode
from event_store.line_history import EntryReader
from zimcore.commits import Commit
from zimcore.game import Event, GameError, Played, Seat, UnknownError
from zimcore.service.records.bindings import Binding, Bindings, Signer
from zimcore.service.records.public_keys import check_public_key

COMMAND_MESSAGE_PREFIX = b"zim command 1\n"
KEY_BYTES, SIGNATURE_BYTES = 32, 64
"""Bytes of a public key, and of a signature."""

KeyFinder: TypeAlias = Callable[[Entry, int, Seat], str]
"""Takes a commit's entry, number and seat, and returns the key (hex) that must have signed it; "" for none.

With `NO_SIGNATURE_NEEDED` no seat must sign, not even one that has signed before; with
`SIGNATURE_NEEDED_IF_SIGNED_BEFORE` only seats that have signed before must sign.
"""
NO_SIGNATURE_NEEDED, SIGNATURE_NEEDED_IF_SIGNED_BEFORE = "free", "free if new"


def command_message(
    game_digest: bytes, parent_digest: bytes, topic: str, played_bytes: bytes, command_id: str
) -> bytes:
    """The message to sign for a command. `played_bytes` are those of its first event: the seat and the command."""
    return COMMAND_MESSAGE_PREFIX + encode((game_digest, parent_digest, topic, played_bytes, command_id))


def message_of_commit(game_digest: bytes, entry: Entry) -> bytes:
    """The message that the signature of a stored commit covers."""
    _, topic, played_bytes = entry.rows[0]
    return command_message(game_digest, entry.parent, topic, played_bytes, entry.seal.id)


def sign_command(author: str, key: str, message: bytes, signer: Signer | None, seat: Seat) -> bytes:
    """Has a command signed and returns its proof. Raises `GameError` if it is not signed, or with another key."""
    if signer is None:
        raise GameError(
            f"{seat}'s commands are signed", f"with the key {key[:16]}, which is not on this machine", ["key list"]
        )
    proof = bytes.fromhex(key) + signer(author, key, message)
    if not is_signed(proof, message):
        raise GameError(f"{seat}'s commands are signed", f"this was not, with the key {key[:16]}", ["key list"])
    return proof


def check_key(seat: Seat, key: str, seats: Collection[Seat]) -> None:
    """Raises `UnknownError` for an unknown seat, `GameError` for an invalid or weak public key."""
    if seat not in seats:
        raise UnknownError(f"no player has the seat {seat!r} here", "", list(seats))
    check_public_key(key)


def check_unbound(bound_seats: Collection[Seat], commits: Iterable[Commit]) -> None:
    """Raises `GameError` for commands of bound seats: they can't be replayed, as a signature is valid in one place."""
    for commit in commits:
        if commit.seat in bound_seats:
            why = f"{commit.seat}'s commands are signed, each where it stands, and this would play it somewhere else"
            raise GameError(f"@{commit.number} {commit.seat}: {commit.text}", why, ["fork PLACE NAME", "try"])


def check_unsigned(bound_seats: Collection[Seat], commits: Iterable[tuple[Sequence[Event], bytes]]) -> None:
    """Raises `GameError` for commits of a seat that was bound to a key meanwhile, as they are not signed."""
    for events, _ in commits:
        if isinstance(played_event := events[0], Played) and played_event.seat in bound_seats:
            raise GameError(
                f"{played_event.seat}'s commands are signed", "by now, and this was not", ["fork PLACE NAME"]
            )


def key_of(proof: bytes) -> str:
    """The public key in a proof, in hex."""
    return proof[:KEY_BYTES].hex()


def is_signed(proof: bytes, message: bytes) -> bool:
    """Whether a proof is a valid signature of a message. Raises `GameError` if the library is not installed."""
    from zimcore.service.records.ed25519 import is_signature  # loads a library that few games need

    return len(proof) == KEY_BYTES + SIGNATURE_BYTES and is_signature(proof[:KEY_BYTES], proof[KEY_BYTES:], message)


class SignatureAudit(msgspec.Struct, eq=False):
    """Checks the proofs along an audited line: which key signed each command, and whether it had to be that key.

    A seat that has signed once must sign from then on, even if its binding is missing. `first_free_number` is that of
    the first command that needs no signature because it is on a line that belongs to one seat (0 for none).
    """

    find_key: KeyFinder
    first_digest: bytes = b""
    keys_by_commit: dict[bytes, Mapping[Seat, str]] = {}
    first_free_number: int = 0
    signers: Mapping[tuple[str, Seat, str], None] = {}

    def fault(self, entry: Entry, number: int, played: Played) -> str:
        """What is wrong with the proof of the next commit, in words; "" if nothing. Call it in the order of commits."""
        self.first_digest = self.first_digest or entry.digest
        seat, proof = played.seat, entry.seal.proof
        keys_before = self.keys_by_commit.get(entry.parent, {})
        required_key, earlier_key = (
            (self.find_key(entry, number, seat), keys_before.get(seat, "")) if seat else ("", "")
        )
        if required_key == SIGNATURE_NEEDED_IF_SIGNED_BEFORE:
            required_key = earlier_key if earlier_key or proof else NO_SIGNATURE_NEEDED
        required_key = required_key or earlier_key
        if required_key == NO_SIGNATURE_NEEDED:
            self.keys_by_commit[entry.digest], self.first_free_number = keys_before, self.first_free_number or number
            return ""
        key = key_of(proof)
        self.keys_by_commit[entry.digest] = (
            {**keys_before, seat: key} if proof and keys_before.get(seat) != key else keys_before
        )
        if required_key and not proof:
            return f"{seat}'s command is not signed, with the key {required_key[:16]}"
        if proof and not is_signed(proof, message_of_commit(self.first_digest, entry)):
            return f"{seat}'s command was not signed with the key {key[:16]}"
        if required_key and required_key != key:
            return f"{seat}'s command is signed with the key {key[:16]}, not with {required_key[:16]}"
        if proof and (signer := (entry.seal.by, seat, key)) not in self.signers:
            self.signers = {**self.signers, signer: None}
        return ""


def no_key_required(entry: Entry, number: int, seat: Seat) -> str:
    """The `KeyFinder` function of a game without bound seats: no key is needed."""
    del entry, number, seat
    return ""


def key_finder_of_game(bindings: Bindings, own_streams: Collection[str], read: EntryReader) -> KeyFinder:
    """The `KeyFinder` function for the lines of a game: commits made before a seat was bound need no signature.

    Such a commit may be in another stream, too: an imported line brings its past along. On lines that belong to one
    seat (`own_streams`) no signature is needed.
    """
    digests_before_binding: dict[tuple[Seat, int], set[bytes]] = {}

    def was_made_before(entry: Entry, seat: Seat, key_number: int, binding: Binding) -> bool:
        since_revisions = binding.since
        if entry.revision <= since_revisions.get(entry.stream, -1):
            return True
        if (seat, key_number) not in digests_before_binding:
            streams = since_revisions.items()
            digests_before_binding[seat, key_number] = {
                entry.digest for stream, last_revision in streams for entry in read(stream, until=last_revision)
            }
        return entry.digest in digests_before_binding[seat, key_number]

    def find_key(entry: Entry, number: int, seat: Seat) -> str:
        del number
        if entry.stream in own_streams:
            return NO_SIGNATURE_NEEDED
        for key_number, binding in reversed([*enumerate(bindings.get(seat, ()))]):
            if not was_made_before(entry, seat, key_number, binding):
                return binding.key
        return ""

    return find_key if bindings else no_key_required
