"""Joining a game on a server, and inviting others to it."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Note, Screen
from zimcore.documents.joining import InviteAnswer, JoinAnswer


def join(answer: JoinAnswer, screen: Screen) -> Iterator[Block]:
    """Where one sits, and what to type next."""
    what = f"you play {answer.seat}" if answer.seat else f"you are {answer.role}"
    where = f"in {answer.game} on {answer.server}" if answer.game else f"on {answer.server}"
    yield [(f"{what} {where}", "")]
    if not screen.in_session:
        yield Note(f"try: zim --store {answer.server} {f'play {answer.game}' if answer.game else 'new NAME'}")


def invite(answer: InviteAnswer, _: Screen) -> Iterator[Block]:
    """A link, and what it is for."""
    yield [(answer.link, "bold")]
    about = answer.about
    until = f", until {about.until:%Y-%m-%d %H:%M} UTC" if about.until else ""
    once = ", once" if about.link else ""
    yield Note(f"whoever types zim join and this is {about.seat or f'a {about.role}'} in {answer.game}{once}{until}")


RENDERERS: Renderers = {JoinAnswer: join, InviteAnswer: invite}
