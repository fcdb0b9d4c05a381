"""Operations: for each event of the service its row in `log --ops` and the events that undo it.

The events of the games are not listed here. An event of the service without a case here fails the type check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never

import msgspec

from event_store import Entry, Forked, HeadMoved, Line
from zimcore.game import GameError
from zimcore.service.lines.line_repository import LoadedLine
from zimcore.service.records import bindings, fair_deal, memberships, names
from zimcore.service.records.names import NameEvent, Names
from zimcore.service.records.terms import terms_text

UndoEvent: TypeAlias = NameEvent | HeadMoved
"""An event that undoes others."""


def not_undoable_error(why: str, match: str) -> GameError:
    """The error for an operation that stays."""
    return GameError("this can't be taken back", why, [f"log {match} --ops"])


class OperationRow(msgspec.Struct, frozen=True):
    """An event as a row of `log --ops`: see `Operation` for `what`, `source` and `target`.

    `undo_events` are the events that undo it, or the error that says why it can't be undone. `only_author` is the one
    person who may undo it ("" for anyone). `is_discussion` marks requests and answers, which undo skips when it looks
    for the last operation.
    """

    what: str
    source: str
    target: str
    undo_events: Sequence[UndoEvent] | GameError
    head_before: bytes = b""
    head_after: bytes = b""
    only_author: str = ""
    is_discussion: bool = False


def commit_operation(entry: Entry, loaded_line: LoadedLine) -> OperationRow:
    """The operation of a commit on its line."""
    return _head_operation("play", loaded_line.line, entry.parent, entry.digest)


def line_operation(event: HeadMoved | Forked, loaded_line: LoadedLine) -> OperationRow:
    """The operation of an event on a line, outside commits."""
    match event:
        case HeadMoved(source, target):
            return _head_operation("move", loaded_line.line, source, target)
        case Forked(commit=commit):
            return _head_operation("fork", loaded_line.line, b"", commit)
        case _:
            assert_never(event)


def _head_operation(what: str, line: Line, head_before: bytes, head_after: bytes) -> OperationRow:
    numbers = line.commit_numbers
    if not head_before:
        undo_error = GameError(
            "a line can't go back to before its first commit", "but you can remove its name", ["forget"]
        )
        return OperationRow(what, "", f"@{numbers[head_after]}", undo_error, head_before, head_after)
    return OperationRow(
        what,
        f"@{numbers[head_before]}",
        f"@{numbers[head_after]}",
        [HeadMoved(head_after, head_before)],
        head_before,
        head_after,
    )


def name_operation(event: NameEvent, names_before: Names, author: str) -> OperationRow | None:
    """The operation of an event on names (`names_before` the event); None if it is not an operation."""
    record_error = not_undoable_error("the record of players, terms and deals stays", names_before.match)
    match event:
        case names.LineNamed(name=name):
            return OperationRow("name", "", name, [names.LineForgotten(name)])
        case names.LineSwitched(name=name, by=person, seat=seat):
            switcher = person or author
            current_before = names_before.current_line(switcher, seat)
            return OperationRow(
                "switch",
                current_before,
                name,
                [names.LineSwitched(current_before, switcher, seat)],
                only_author=switcher,
            )
        case names.LineRenamed(name=name, to=to):
            return OperationRow("rename", name, to, [names.LineRenamed(to, name)])
        case names.LineForgotten(name=name):
            return OperationRow("forget", name, "", [names.LineNamed(name, names_before.lines[name])])
        case names.PositionTagged(name=name):
            return OperationRow("tag", "", name, [names.TagRemoved(name)])
        case names.TagRemoved(name=name):
            tag = names_before.tags[name]
            return OperationRow("untag", name, "", [names.PositionTagged(name, tag.line_stream, tag.commit)])
        case names.ImportedAsRecorded(what=what):
            return OperationRow("as recorded", "", what, [])
        case names.BotSeated(seat=seat, bot=bot, line=line):
            bots_before = names_before.bots_on(names_before.name_of(line)) if line else names_before.bots
            return OperationRow("bot", seat, bot or "people", [names.BotSeated(seat, bots_before.get(seat, ""), line)])
        case bindings.SeatBound(seat=seat, key=key) | bindings.KeyChanged(seat=seat, key=key):
            return OperationRow("seat", seat, key[:16], not_undoable_error(f"{seat} keeps its key", names_before.match))
        case fair_deal.TableOpened(kind=kind):
            return OperationRow("open", "", kind, record_error)
        case fair_deal.ShareAdded(seat=seat, share=share):
            return OperationRow("share", seat, share.hex()[:16], record_error)
        case fair_deal.Dealt():
            return OperationRow("deal", "", "", record_error)
        case memberships.GameHosted(host=host):
            return OperationRow("host", "", host, record_error)
        case memberships.SeatOffered(seat=seat):
            return OperationRow("offer", seat, "", record_error)
        case memberships.SeatTaken(seat=seat, by=player):
            return OperationRow("take", seat, player, record_error)
        case memberships.SeatLeft(seat=seat):
            return OperationRow("leave", seat, "", record_error)
        case memberships.TokenGiven(role=role, name=name):
            return OperationRow("token", role, name, record_error)
        case memberships.TokenRevoked(id=id):
            return OperationRow("revoke", id, "", record_error)
        case memberships.TermsSet():
            return OperationRow("terms", terms_text(names_before.members.terms), terms_text(event), record_error)
        case memberships.TimeGiven(seat=seat):
            return OperationRow("wait", seat, "", record_error)
        case memberships.HouseRulesSet(rules=rules):
            return OperationRow("house", "", memberships.house_rules_text(rules), record_error)
        case memberships.HouseRulesAgreed(seat=seat, rules=rules_text):
            return OperationRow("agree", seat, rules_text, record_error)
        case memberships.GameEnded():
            return OperationRow("end", "", "", record_error)
        case memberships.GameDecided(winner=winner):
            return OperationRow("won", winner, "", [memberships.GameResumed()])
        case memberships.GameResumed():
            return OperationRow("resume", "", "", record_error)
        case names.GameArchived(name=name):
            return OperationRow("archive", name, "", [names.GameRestored(name)])
        case names.GameDeleted(name=name):
            return OperationRow("delete", name, "", [names.GameRestored(name)])
        case names.GameRestored(name=name) if name in names_before.deleted_games:
            error = GameError("this can't be taken back", "the game would lose its name", [f"delete {name}"])
            return OperationRow("restore", name, "", error)
        case names.GameRestored(name=name):
            return OperationRow("restore", name, "", [names.GameArchived(name)])
        case names.GameNamed() | names.GameRemoved() | names.LeagueNamed():
            return None  # nothing of a game is there before the first or after the second; a league is no game
        case _:
            assert_never(event)
