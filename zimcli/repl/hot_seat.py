"""Hot-seat play of a game with secrets: a hand is shown only after its player confirms to be at the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import click

from zimcli.render.moves import fact_lines, place_line
from zimcli.render.spans import Line
from zimcli.session.session import Session
from zimcli.session.who_plays import derive_viewer, next_player
from zimcli.shell.registry import SHOW
from zimcore.documents.positions import position_document
from zimcore.service.lines.visibility import TABLE, Viewer
from zimcore.toolkit.player_names import title_with_name


def hand_over_keyboard(session: Session) -> None:
    """Call before a prompt: if another player looked last, waits until the next one confirms to be there.

    Does nothing in a session for one seat (`--as`), with `--open`, or for the only person among bots. Raises `EOFError`
    at the end of the input.
    """
    derive_viewer(session)
    seat = next_player(session)
    if seat is None:
        return
    if session.viewer.seat:
        # The last player sees the result of their move, drawn cards included, before the screen is cleared.
        session.show_blocks(*last_move_lines(session))
        input(f"{session.viewer.seat.title()}, press Enter when you have seen it: ")
    # From here on nothing may be drawn that only the last player may see.
    session.set_viewer(TABLE)
    clear_screen()
    position = session.current
    assert position
    session.show_blocks(place_line(position_document(position)))
    input(f"{title_with_name(seat, position.names)}, press Enter when nobody else can see the screen: ")
    session.set_viewer(Viewer(seat))
    session.run_line(SHOW.name)


def last_move_lines(session: Session) -> Iterator[Line]:
    """What the last move brought, if the player who made it is still the viewer."""
    position = session.current
    if position and position.commit.seat and position.commit.seat == session.viewer.seat:
        yield from fact_lines(map(position.game.notation.describe, position.commit.events[1:]))


def clear_screen() -> None:
    """Clears the screen and the scrollback, where the last player's hand would still be readable."""
    click.clear()
    click.echo("\033[3J", nl=False)
