"""Joining a game on a server, and inviting others to it."""

from __future__ import annotations

from zimcore.documents.positions import Answer
from zimcore.documents.seats import Role, TokenInfo
from zimcore.game import Seat


class JoinAnswer(Answer, frozen=True):
    """Who one is on a server from now on: in which game ("" for an account), as what, at which seat, by which name."""

    server: str
    game: str
    role: Role
    seat: Seat
    by: str


class InviteAnswer(Answer, frozen=True):
    """A link that somebody is to be given, what it is for, and by which `id` it is revoked. It is shown this once."""

    link: str
    game: str
    about: TokenInfo
