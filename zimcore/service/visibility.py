"""Who looks, and what they may see; who plays, and for whom.

Nothing else decides either. What is stored is whole, and decided with all there is; what is answered goes through here.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec
from msgspec.structs import replace

from event_store.lines import is_on_way, way
from zimcore.commits import Commit, Position
from zimcore.game import Command, Game, GameError, HiddenError, Played, Refused, Seat, Secrets
from zimcore.service.deciding import SEED_BYTES, Decided, decided
from zimcore.service.open_lines import OpenLine

REDEAL = ("fork PLACE NAME --as SEAT --redeal",)


class Viewer(msgspec.Struct, frozen=True):
    """Who looks: with a `seat` what its player knows, with "" what everybody does, with None everything.

    One who `plays` acts for that seat only, or for any where it is not one seat's eyes that look.
    """

    seat: Seat | None
    plays: bool = True

    @property
    def sees_all(self) -> bool:
        """Whether nothing is hidden from them."""
        return self.seat is None


EVERYTHING = Viewer(None)
"""For those who hold the store anyway."""
TABLE = Viewer("")
"""Those around one table, of whom any may type: they see together what everybody knows."""
SPECTATOR = Viewer("", plays=False)
"""The same, for those who only watch."""


def check_may_play(viewer: Viewer, seat: Seat) -> None:
    """Raises `GameError` for one who may not play that seat. A set-up is nobody's: its seat is ""."""
    if viewer.plays and (not viewer.seat or viewer.seat == seat):
        return
    if not viewer.plays:
        raise GameError(f"{seat} can't be played by a spectator", "whoever plays has a seat", ["--as SEAT"])
    raise GameError(f"{seat} can't be played here", f"you are {viewer.seat}", [f"--as {seat}"])


def position_for(found: Position, viewer: Viewer) -> Position:
    """A position, in which what the viewer does not know is concealed."""
    if viewer.seat is None or found.game.secrets is None:
        return found
    state = state_for(found.game, found.state, viewer)
    return replace(found, state=state, commit=commit_for(found.game, found.commit, viewer))


def state_for(game: Game, state: Any, viewer: Viewer) -> Any:
    """A state, in which what the viewer does not know is concealed."""
    return state if viewer.seat is None or game.secrets is None else game.secrets.conceal(state, viewer.seat)


def commit_for(game: Game, commit: Commit, viewer: Viewer) -> Commit:
    """A commit with its command, its facts and all texts made of them as the viewer was told them.

    The digest of the state is left out: it would tell a hidden card to whoever tries them all.
    """
    secrets, seat = game.secrets, viewer.seat
    if seat is None or secrets is None:
        return commit
    return replace(commit, events=tuple(secrets.redact(event, seat) for event in commit.events), state="")


def text_for(found: OpenLine, digest: bytes, viewer: Viewer) -> str:
    """The command of a commit in notation, as the viewer may know it."""
    return commit_for(found.game, found.commit(digest), viewer).text


def refusal_for(game: Game, state: Any, seat: Seat, command: Command, refused: Refused, viewer: Viewer) -> Refused:
    """Why a command is refused, as the viewer may know it: nobody is to find out a hand by what can't be played."""
    if viewer.seat is None or game.secrets is None:
        return refused
    try:
        told = game.rules.decide(state_for(game, state, viewer), seat, command)
    except HiddenError:
        return Refused(
            tuple(replace(each, reason="it hangs on what is hidden", hidden=True) for each in refused.refusals)
        )
    return told if isinstance(told, Refused) else refused


def check_no_peeking(game: Game, viewer: Viewer, what: str, found: OpenLine | None = None) -> None:
    """Raises `GameError` for one who does not see all, where something would show more, now or by playing on.

    On a line that is over there is nothing left to be won by it.
    """
    over = found is not None and game.evolution.outcome(found.states.known(found.line.head)).over
    if game.secrets and not viewer.sees_all and not over:
        hints = [f"{what} ... --open", *REDEAL]
        raise GameError(f"{what} would show what is hidden in {game.title}", "what it makes has the same cards", hints)


def check_going_back(found: OpenLine, target: bytes, viewer: Viewer) -> None:
    """Raises `GameError` for one who does not see all, where a move that the head would go back over told somebody more
    than was known before it: a card that was drawn or turned over can't be put back.

    Who counts are those who look, and whoever made the move.
    """
    secrets = found.game.secrets
    if secrets is None or viewer.seat is None:
        return
    for digest in reversed(way(found.line, found.line.head)):
        if is_on_way(found.line, digest, target):
            return
        commit = found.commit(digest)
        if any(_taught(found, secrets, digest, seat) for seat in {viewer.seat, commit.seat}):
            what = f"what @{commit.number} has shown can't be unseen: {text_for(found, digest, viewer)}"
            raise GameError(what, "whoever went back would know more than before", ["undo --open", *REDEAL])


def _taught(found: OpenLine, secrets: Secrets, digest: bytes, seat: Seat) -> bool:
    """Whether a commit told a seat more than it could have worked out from what it knew before."""
    told = [secrets.redact(event, seat) for event in found.states.events(digest)]
    known = secrets.conceal(found.states.at(found.line.commits[digest].parent), seat)
    asked = told[0]
    assert isinstance(asked, Played)
    try:
        foreseen = found.game.rules.decide(known, asked.seat, asked.command)
    except HiddenError:
        return True
    return isinstance(foreseen, Refused) or [*foreseen.events] != told[1:]


def redealt(game: Game, state: Any, viewer: Viewer) -> Decided:
    """The first commit of a line in which what the viewer does not know is dealt anew. Raises `GameError`."""
    if game.secrets is None:
        raise GameError("nothing can be dealt anew", f"in {game.title} everybody sees everything", ["fork PLACE NAME"])
    if not viewer.seat:
        raise GameError("for whom", "it is dealt anew for a seat, which keeps what it knows", ["fork ... --as SEAT"])
    seed = int.from_bytes(os.urandom(SEED_BYTES))
    answer = decided(game, state, "", game.secrets.redeal(viewer.seat, seed))
    if isinstance(answer, Refused):
        raise GameError("it can't be dealt anew", "; ".join(each.reason for each in answer.refusals))
    return answer
