"""What each event of the service is as an operation: what it is called, what it went from and to, and what undoes it.

Events of the games mean what their games say; these are the others. An event without a case here does not type-check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never

import msgspec

from event_store import Entry, Forked, HeadMoved, Line
from zimcore.game import GameError
from zimcore.service import bindings, dealing, memberships, names, proceedings
from zimcore.service.names import NameEvent, Names
from zimcore.service.open_lines import OpenLine
from zimcore.service.proceedings import ProceedingsEvent, TakebackRequest
from zimcore.service.terms import said

Undoing: TypeAlias = NameEvent | HeadMoved
"""An event that undoes others."""


def _lasting(why: str, match: str) -> GameError:
    return GameError("this can't be taken back", why, [f"log {match} --ops"])


class Meaning(msgspec.Struct, frozen=True):
    """An event as a row of `log --ops`: see `Operation` for the words and what `source`, `target` and so on hold.

    `undo` are the events that undo it, or the error that says why none do. `only` is the one person who may undo it,
    "" for anybody. What `is_said`, in a request or an answer, is never the last operation: undo passes over it.
    """

    what: str
    source: str
    target: str
    undo: Sequence[Undoing] | GameError
    before: bytes = b""
    after: bytes = b""
    only: str = ""
    is_said: bool = False


def of_commit(entry: Entry, found: OpenLine) -> Meaning:
    """What a commit is on its line."""
    return _of_head("play", found.line, entry.parent, entry.digest)


def of_head(event: HeadMoved | Forked, found: OpenLine) -> Meaning:
    """What an entry of a line is that is no commit."""
    match event:
        case HeadMoved(source, target):
            return _of_head("move", found.line, source, target)
        case Forked(commit=commit):
            return _of_head("fork", found.line, b"", commit)
        case _:
            assert_never(event)


def _of_head(what: str, line: Line, before: bytes, after: bytes) -> Meaning:
    number = line.numbers
    if not before:
        undo = GameError("a line has no head before its first commit", "its name can be taken away", ["forget"])
        return Meaning(what, "", f"@{number[after]}", undo, before, after)
    return Meaning(what, f"@{number[before]}", f"@{number[after]}", [HeadMoved(after, before)], before, after)


def of_name(event: NameEvent, known: Names, by: str) -> Meaning | None:
    """What an event is that somebody wrote among the names there were before it; None where it is no operation."""
    taken_part = _lasting("who took part is history", known.match)
    match event:
        case names.LineNamed(name=name):
            return Meaning("name", "", name, [names.LineForgotten(name)])
        case names.LineSwitched(name=name, by=whose, seat=seat):
            who = whose or by
            before = known.current(who, seat)
            return Meaning("switch", before, name, [names.LineSwitched(before, who, seat)], only=who)
        case names.LineRenamed(name=name, to=to):
            return Meaning("rename", name, to, [names.LineRenamed(to, name)])
        case names.LineForgotten(name=name):
            return Meaning("forget", name, "", [names.LineNamed(name, known.lines[name])])
        case names.TakenAsRecorded(what=what):
            return Meaning("as recorded", "", what, [])
        case names.BotSeated(seat=seat, bot=bot):
            return Meaning("bot", seat, bot or "people", [names.BotSeated(seat, known.bots.get(seat, ""))])
        case bindings.SeatBound(seat=seat, key=key) | bindings.KeyChanged(seat=seat, key=key):
            return Meaning("seat", seat, key[:16], _lasting(f"{seat} keeps its key", known.match))
        case dealing.TableOpened(kind=kind):
            return Meaning("open", "", kind, taken_part)
        case dealing.ShareAdded(seat=seat, share=share):
            return Meaning("share", seat, share.hex()[:16], taken_part)
        case dealing.Dealt():
            return Meaning("deal", "", "", taken_part)
        case memberships.GameHosted(host=host):
            return Meaning("host", "", host, taken_part)
        case memberships.SeatOffered(seat=seat):
            return Meaning("offer", seat, "", taken_part)
        case memberships.SeatTaken(seat=seat, by=who):
            return Meaning("take", seat, who, taken_part)
        case memberships.SeatLeft(seat=seat):
            return Meaning("leave", seat, "", taken_part)
        case memberships.TokenGiven(role=role, name=name):
            return Meaning("token", role, name, taken_part)
        case memberships.TokenRevoked(id=id):
            return Meaning("revoke", id, "", taken_part)
        case memberships.TermsSet():
            return Meaning("terms", said(known.members.terms), said(event), taken_part)
        case memberships.TimeGiven(seat=seat):
            return Meaning("wait", seat, "", taken_part)
        case memberships.HouseRulesSet(rules=rules):
            return Meaning("house", "", memberships.written_sheet(rules), taken_part)
        case memberships.HouseRulesAgreed(seat=seat, rules=sheet):
            return Meaning("agree", seat, sheet, taken_part)
        case memberships.GameEnded():
            return Meaning("end", "", "", taken_part)
        case names.GameArchived(name=name):
            return Meaning("archive", name, "", [names.GameRestored(name)])
        case names.GameForgotten(name=name):
            return Meaning("delete", name, "", [names.GameRestored(name)])
        case names.GameRestored(name=name) if name in known.deleted:
            so = GameError("this can't be taken back so", "the game would lose its name", [f"delete {name}"])
            return Meaning("restore", name, "", so)
        case names.GameRestored(name=name):
            return Meaning("restore", name, "", [names.GameArchived(name)])
        case names.GameNamed() | names.GameRemoved():
            return None  # with the one a game begins, as its first line says, and after the other there is none
        case _:
            assert_never(event)


def of_proceeding(event: ProceedingsEvent, asked: TakebackRequest, found: OpenLine) -> Meaning | None:
    """What an event is that is about a request on a line; None where it is no operation."""
    number, history = f"request {asked.number}", _lasting("what was asked for is history", found.match)
    match event:
        case proceedings.TakebackRequested(to=to):
            return Meaning("request", asked.seat, f"@{found.line.numbers[to]}", history, is_said=True)
        case proceedings.RequestAnswered(seat=seat, accepted=accepted):
            return Meaning("accept" if accepted else "decline", seat, number, history, is_said=True)
        case proceedings.RequestWithdrawn():
            return Meaning("withdraw", asked.seat, number, history, is_said=True)
        case proceedings.RequestGranted():
            return Meaning("grant", asked.seat, number, history, is_said=True)
        case (
            (proceedings.Said() | proceedings.VoteCast() | proceedings.OrderGiven() | proceedings.OrderEnded())
            | (proceedings.TakebacksAgreed() | proceedings.HelpAgreed())
            | (proceedings.NoticesWanted() | proceedings.NoticeSent())
        ):
            return None
        case _:
            assert_never(event)
