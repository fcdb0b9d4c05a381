"""What the user has seen of the discussion of a game, and what is new in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from zimcli.render.spans import Line
from zimcli.session.session import Session
from zimcore.documents.discussion import Remark
from zimcore.features import FEATURES
from zimcore.game import Seat


class Told(NamedTuple):
    """Something that a feature tells about a game: what it is about, the state of that, and lines.

    `is_own` is what the user has done: the answer to their command has shown it. `waits_for` are the seats that have to
    answer, as `brief` says.
    """

    subject: str
    state: str
    lines: Sequence[Line]
    is_own: bool = False
    waits_for: Sequence[Seat] = ()
    brief: str = ""


class SeenDiscussion(NamedTuple):
    """What the user last saw around a game: messages, what features tell, and who sits where (None: unknown)."""

    talk: Sequence[Remark] = ()
    told: Sequence[Told] = ()
    players: Mapping[Seat, str] | None = None

    def changes_since(self, discussion_before: SeenDiscussion) -> SeenDiscussion:
        """What is new since `discussion_before`: messages, and what features tell."""
        known_remarks = {(each.number, each.own) for each in discussion_before.talk}
        known_states = {(each.subject, each.state) for each in discussion_before.told}
        return SeenDiscussion(
            [each for each in self.talk if (each.number, each.own) not in known_remarks],
            [each for each in self.told if (each.subject, each.state) not in known_states],
        )

    def changed_seats(self, discussion_before: SeenDiscussion, own_name: str = "") -> Iterator[tuple[Seat, str, str]]:
        """The seats whose player has changed since `discussion_before`: each with its player then and now, "" for none.

        Not what the person named `own_name` did: the answer to their own command has shown it.

        >>> [*SeenDiscussion(players={"zulu": "ben"}).changed_seats(SeenDiscussion(players={"kilwa": "ann"}))]
        [('kilwa', 'ann', ''), ('zulu', '', 'ben')]
        """
        if discussion_before.players is None or self.players is None:
            return
        for seat in dict.fromkeys([*discussion_before.players, *self.players]):
            player_before, player_now = discussion_before.players.get(seat, ""), self.players.get(seat, "")
            if player_before != player_now and (player_now or player_before) != own_name:
                yield seat, player_before, player_now

    def waiting(self, seat: str | None) -> Sequence[Told]:
        """What waits for an answer from a seat; with no seat, from any."""
        return waiting_for(seat, self.told)


def waiting_for(seat: str | None, told: Sequence[Told]) -> Sequence[Told]:
    """What of `told` waits for an answer from a seat; with no seat, from any."""
    return [each for each in told if (seat in each.waits_for if seat else each.waits_for)]


def read_told(session: Session, match: str) -> Sequence[Told]:
    """What features tell about a game."""
    terminal_modules = (import_module(f"zimcli.features.{feature}") for feature in FEATURES)
    return [each for module in terminal_modules for each in module.news(session, match)]


def read_discussion(session: Session) -> SeenDiscussion:
    """Reads the discussion of the current game."""
    assert session.current
    service, match = session.service, session.current.match
    talk = service.talk(match, by=session.by, viewer=session.viewer)
    return SeenDiscussion(talk, read_told(session, match), service.players(match))
