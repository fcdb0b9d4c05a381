"""Viewers: what each may see, and which seat each may play.

This is the only module that decides either. Commands are decided on the whole state and stored as whole events; every
answer is redacted here.

In other words: authorization, redaction, imperfect information.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from heapq import merge
from typing import Any

import msgspec
from msgspec.structs import replace

from event_store.line_history import is_on_path, path_to
from zimcore.commits import Commit, Position
from zimcore.documents.discussion import Remark, Takebacks
from zimcore.game import Command, Deal, Event, Game, GameError, HiddenError, Played, Refused, Seat, Secrets
from zimcore.service.lines.line_repository import LoadedLine
from zimcore.service.records.deciding import SEED_BYTES, PendingCommit, decide_commit
from zimcore.service.records.discussion import Discussion

OPEN_HINT = "--open"
"""The option to see everything: for who has the store, or the whole copy of a game."""


class Viewer(msgspec.Struct, frozen=True):
    """A viewer: a `seat` sees what its player knows, "" what is public, None everything.

    A viewer who `plays` acts for their seat only, or for any seat if they have none. With `own` (on a server) they can
    undo and redo their own commands only, and the answers of the `programs` to them. A viewer who `knows` sees
    everything from their seat: the game is over, and open.
    """

    seat: Seat | None
    plays: bool = True
    own: bool = False
    programs: frozenset[Seat] = frozenset()
    knows: bool = False

    @property
    def sees_all(self) -> bool:
        """Whether nothing is hidden from this viewer."""
        return self.knows or self.seat is None

    @property
    def hidden_from(self) -> Seat | None:
        """The seat whose player can't see all; None if nothing is hidden."""
        return None if self.knows else self.seat


EVERYTHING = Viewer(None)
"""Sees everything: for users with access to the store, who could read it there anyway."""
TABLE = Viewer("")
"""Sees public information and plays any seat: for players who share one screen."""
SPECTATOR = Viewer("", plays=False)
"""Sees public information and plays no seat."""


def check_may_play(viewer: Viewer, seat: Seat) -> None:
    """Raises `GameError` if the viewer may not play this seat. The seat of a set-up is "", which no player has."""
    if viewer.plays and (not viewer.seat or viewer.seat == seat):
        return
    check_may_play_at_all(viewer, seat)
    if not seat:
        raise GameError("there is nothing to play", "nobody is to move", ["show", "story"])
    raise GameError(f"{seat} can't be played here", f"you are {viewer.seat}", ["legal"])


def check_may_play_at_all(viewer: Viewer, command_or_seat: object) -> None:
    """Raises `GameError` for a spectator, before the command is read, so that the answer can't reveal anything."""
    if not viewer.plays:
        raise GameError(f"{command_or_seat} can't be played by a spectator", "only seats can play", ["--as SEAT"])


def check_may_write(viewer: Viewer, action: str) -> None:
    """Raises `GameError` for a spectator."""
    if not viewer.plays:
        raise GameError(f"{action} is not for a spectator", "changes need a seat, or the store itself", ["--as SEAT"])


def check_is_played(command: Command) -> None:
    """Raises `GameError` for a deal: a player who could make one would know every hand."""
    if isinstance(command, Deal):
        raise GameError(
            "this can't be played", "a deal is made by Zim, not by a seat", ["new", "fork PLACE NAME --redeal"]
        )


def remarks_for(discussion: Discussion, own_discussion: Discussion, viewer: Viewer) -> Sequence[Remark]:
    """The messages for a viewer: those to all, and the private notes that they wrote at their seat."""
    visible_remarks = (each for each in own_discussion.remarks if viewer.sees_all or each.seat == viewer.seat)
    # `merge` keeps the order of each stream, even if the times in it go backwards.
    return [*merge(discussion.remarks, visible_remarks, key=lambda remark: remark.at)]


def position_for(position: Position, viewer: Viewer) -> Position:
    """A position without what the viewer does not know."""
    if (seat := viewer.hidden_from) is None or position.game.secrets is None:
        return position
    state = state_for(position.game, position.state, viewer)
    return replace(position, state=state, commit=commit_for(position.game, position.commit, viewer), seen_by=seat)


def state_for(game: Game, state: Any, viewer: Viewer) -> Any:
    """A state without what the viewer does not know."""
    return state if (seat := viewer.hidden_from) is None or game.secrets is None else game.secrets.conceal(state, seat)


def commit_for(game: Game, commit: Commit, viewer: Viewer) -> Commit:
    """A commit with its command and events redacted for the viewer, and so its texts too.

    The digest of the state is left out: by trying all cards against it one could find the hidden ones.
    """
    secrets, seat = game.secrets, viewer.hidden_from
    if seat is None or secrets is None:
        return commit
    return replace(commit, events=tuple(secrets.redact(event, seat) for event in commit.events), state="")


def text_seen_by(loaded_line: LoadedLine, digest: bytes, viewer: Viewer) -> str:
    """The command of a commit in notation, as the viewer may see it."""
    return commit_for(loaded_line.game, loaded_line.commit(digest), viewer).text


def refusal_for(game: Game, state: Any, seat: Seat, command: Command, refusal: Refused, viewer: Viewer) -> Refused:
    """Why a command is refused, as the viewer may know it.

    It is decided again on what the viewer knows, since the reasons of the first refusal could reveal a hidden hand.
    """
    if viewer.sees_all or game.secrets is None:
        return refusal
    try:
        decision = game.rules.decide(state_for(game, state, viewer), seat, command)
    except HiddenError:
        return Refused(
            tuple(replace(each, reason="it depends on hidden information", hidden=True) for each in refusal.refusals)
        )
    return decision if isinstance(decision, Refused) else refusal


def check_no_peeking(game: Game, viewer: Viewer, action: str, are_over: Callable[[], bool] = lambda: False) -> None:
    """Raises `GameError` if something is hidden from the viewer and the action would show it, at once or by playing on.

    It is allowed once all lines with the same cards `are_over`. That includes the lines that this one was forked from:
    its commits before a redeal still have their cards.
    """
    if game.secrets is None or viewer.sees_all:
        return
    if not are_over():
        hints = [OPEN_HINT, _redeal_hint("PLACE", viewer)]
        raise GameError(f"{action} would show what is hidden in {game.title}", "the result has the same cards", hints)


def takeback_viewer(
    viewer: Viewer, takebacks: Takebacks, *, is_first_line: bool, programs: Collection[Seat] = ()
) -> Viewer:
    """The viewer to check a takeback with: with takebacks=free not limited to their own moves.

    The moves of `programs` go with those that they answer.

    Raises `GameError` with takebacks=never, on the first line of a match (`is_first_line`) or on a server.
    """
    if takebacks == "never" and (viewer.own or is_first_line) and not viewer.sees_all:
        raise GameError("takebacks are off in this game", "it was started with takebacks=never", ["fork PLACE NAME"])
    return replace(viewer, own=viewer.own and takebacks != "free", programs=frozenset(programs))


def check_going_back(loaded_line: LoadedLine, target: bytes, viewer: Viewer) -> None:
    """Raises `GameError` if going back would undo a move that revealed something: a drawn card, or the end of a game.

    What the move revealed to the viewer and to the player who made it counts. Viewers who see everything may always go
    back.
    """
    if viewer.own:
        check_own_moves(loaded_line, target, viewer)
    secrets = loaded_line.game.secrets
    if secrets is None or viewer.seat is None:
        return
    if loaded_line.line.head != target and secrets.OPENS_AT_END:
        check_not_over(loaded_line, OPEN_HINT, _fork_hint(loaded_line, target))
    for digest in reversed(path_to(loaded_line.line, loaded_line.line.head)):
        if is_on_path(loaded_line.line, digest, target):
            return
        commit = loaded_line.commit(digest)
        if any(reveals_more(loaded_line, secrets, digest, seat) for seat in {viewer.seat, commit.seat}):
            move_text = text_seen_by(loaded_line, digest, viewer)
            what = f"@{commit.number} ({move_text}) has shown what was hidden: it can't be undone"
            hints = [OPEN_HINT, _redeal_hint(loaded_line.place, viewer)]
            raise GameError(what, "after going back you would know more than before", hints)


def check_own_moves(loaded_line: LoadedLine, target: bytes, viewer: Viewer) -> None:
    """Raises `GameError` if the head would move over another player's command, or away from the end of the game."""
    digests_between = {*path_to(loaded_line.line, loaded_line.line.head)} ^ {*path_to(loaded_line.line, target)}
    if not {loaded_line.commit(digest).seat for digest in digests_between} <= {viewer.seat, *viewer.programs}:
        what, why = "you can only take back your own moves", "one of these moves is another player's"
        raise GameError(what, why, [_takeback_hint(loaded_line, target, viewer)])
    if digests_between:
        check_not_over(loaded_line, _fork_hint(loaded_line, target))


def _takeback_hint(loaded_line: LoadedLine, target: bytes, viewer: Viewer) -> str:
    """What asks for the moves after a position, at least for the viewer's last one: else it is not their turn."""
    line = loaded_line.line
    if line.commit_numbers[target] >= line.commit_numbers[line.head]:
        return "log --all"
    commits = [loaded_line.commit(digest) for digest in path_to(line, line.head)[1:]]
    played = [commit for commit in reversed(commits) if commit.seat not in viewer.programs]
    steps = sum(commit.number > line.commit_numbers[target] for commit in played)
    own_steps = next((count for count, commit in enumerate(played, 1) if commit.seat == viewer.seat), 0)
    return f"takeback {max(steps, own_steps)}"


def without_open_hints(hints: Sequence[str]) -> tuple[str, ...]:
    """The hints for who does not have the store, and may never see everything."""
    return tuple(hint for hint in hints if OPEN_HINT not in hint.split())


def _redeal_hint(place: str, viewer: Viewer) -> str:
    return f"fork {place} NAME --as {viewer.seat or 'SEAT'} --redeal"


def _fork_hint(loaded_line: LoadedLine, target: bytes) -> str:
    return f"fork {loaded_line.place}@{loaded_line.line.commit_numbers[target]} NAME"


def check_not_over(loaded_line: LoadedLine, *hints: str) -> None:
    """Raises `GameError` for a game that is over, which nobody could play on without knowing what was hidden."""
    if loaded_line.game.evolution.outcome(loaded_line.states.state_at(loaded_line.line.head)).over:
        why = "its end has shown the hidden cards" if loaded_line.game.secrets else "its result stands"
        raise GameError("a finished game can't be changed", why, hints)


def reveals_more(loaded_line: LoadedLine, secrets: Secrets, digest: bytes, seat: Seat) -> bool:
    """Whether a commit showed a seat more than it could work out before.

    The command is decided again on what the seat knew before: if that gives the same events, nothing was revealed.
    """
    redacted_events = [secrets.redact(event, seat) for event in loaded_line.states.events_of(digest)]
    visible_state = secrets.conceal(loaded_line.states.state_copy_at(loaded_line.line.commits[digest].parent), seat)
    return _is_surprising(loaded_line.game, visible_state, redacted_events)


def has_revealed(position_before: Position, commit: Commit) -> bool:
    """Whether a commit showed its viewer more than the position before it, so that they can't undo it."""
    game = position_before.game
    return game.secrets is not None and _is_surprising(game, position_before.state, commit.events)


def _is_surprising(game: Game, visible_state: Any, events: Sequence[Event]) -> bool:
    """Whether the command, decided again on what was known, gives other events."""
    played_event, *expected_events = events
    if not isinstance(played_event, Played):
        return False
    try:
        decision = game.rules.decide(visible_state, played_event.seat, played_event.command)
    except HiddenError:
        return True
    return isinstance(decision, Refused) or [*decision.events] != expected_events


def decide_redeal(game: Game, state: Any, viewer: Viewer) -> PendingCommit:
    """The first commit of a line in which all that the viewer does not know is dealt again. Raises `GameError`."""
    if game.secrets is None:
        raise GameError("nothing can be dealt again", f"in {game.title} nothing is hidden", ["fork PLACE NAME"])
    if not viewer.seat:
        why = "a redeal is for a seat, which keeps what it knows"
        raise GameError("no seat given", why, ["fork PLACE NAME --as SEAT"])
    seed = int.from_bytes(os.urandom(SEED_BYTES))
    redeal_commit = decide_commit(game, state, "", game.secrets.redeal(viewer.seat, seed))
    if isinstance(redeal_commit, Refused):
        raise GameError("it can't be dealt again", "; ".join(each.reason for each in redeal_commit.refusals))
    return redeal_commit
