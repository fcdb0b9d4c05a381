"""Draw the board.

An overlay highlights squares: --reach d4, --hubs c3, --owner, --resources. --legal craft potter shows where commands
with that beginning are legal. The squares of the last move are marked. --svg and --png write a picture to a file
instead (PNG needs the extra `png`).

In a terminal that draws pictures (by the protocols of kitty or iTerm2, or sixels) the board is one; --no-picture shows
it in characters. --picture draws it in any terminal, if need be in half blocks.

Example::

    zim board kilwa-7@r4 --owner
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from zimcli.command import PlaceCommand, argument, place_command
from zimcli.files import write
from zimcli.session import Session
from zimcli.shell_completion import offer_words, overlays
from zimcore.candidates import candidates
from zimcore.commits import Position
from zimcore.documents.look import BoardAnswer
from zimcore.documents.positions import position_document
from zimcore.game import NotationError, Overlay
from zimcore.picture.squares import last_move, squares_in

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FILE_TYPE = click.Path(dir_okay=False, writable=True, path_type=Path)
MAX_NAMED = 12
"""Commands that are listed above a board at most."""


class BoardCommand(PlaceCommand):
    """Takes the overlays of a game as options."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completes overlays too."""
        completions = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            completions += offer_words(overlays, ctx, self.params[0], incomplete)
        return completions


@place_command(__doc__, BoardCommand, ignore_unknown_options=True)
@argument("words", nargs=-1, metavar="[--OVERLAY [WORDS]...]", type=click.UNPROCESSED)
@click.option("--svg", type=FILE_TYPE, help="Write an SVG picture to this file.")
@click.option("--png", type=FILE_TYPE, help="Write a PNG picture to this file.")
@click.option("--picture/--no-picture", "drawn", default=None, help="Draw a picture in the terminal.")
def command(
    session: Session, place: str, words: tuple[str, ...], svg: Path | None, png: Path | None, drawn: bool | None
) -> BoardAnswer | None:
    """Returns the board of a position, or draws pictures of it."""
    position = session.position(place)
    board = position.board
    if board is None and not (svg or png):  # a picture has its tables then
        raise NotationError("board", f"{position.game.title} has no board", ["show"])
    overlay, last_squares = chosen_overlay(position, words), last_move(position, board)
    if svg or png:
        session.check_files(f"board {place} --{'svg' if svg else 'png'}", *map(str, filter(None, (svg, png))))
        write_pictures(position, overlay, last_squares, svg, png)
    elif session.draw_picture(lambda: picture_png(position, overlay, last_squares), drawn):
        return None
    files = tuple(str(file) for file in (svg, png) if file)
    return BoardAnswer(position_document(position), board, overlay, tuple(sorted(last_squares)), files)


def picture_png(
    position: Position, overlay: Overlay | None = None, last_squares: frozenset[str] = frozenset()
) -> bytes:
    """The picture of a position, as a PNG. Raises `GameError` where the library for it is not installed."""
    from zimcore.picture.png import to_png
    from zimcore.picture.sheet import picture

    return to_png(picture(position, overlay, last_squares))


def chosen_overlay(position: Position, words: tuple[str, ...]) -> Overlay | None:
    """The overlay that these words name: `--reach d4`."""
    if not words:
        return None
    name = words[0].removeprefix("--")
    if name == words[0]:
        hints = [f"board --{each}" for each in (*position.game.display.OVERLAYS, "legal")]
        raise NotationError(words[0], "this is neither an option of board nor a place", hints)
    if name == "legal":
        return legal_overlay(position, " ".join(words[1:]))
    return position.game.display.overlay(position.state, name, words[1:])


def legal_overlay(position: Position, beginning: str) -> Overlay:
    """The squares named by legal commands with this beginning, and the commands themselves if they are few."""
    texts = list(candidates(position).texts(beginning))
    board, question = position.board, f"legal {beginning}".rstrip()
    squares = dict.fromkeys(sorted({square for text in texts for square in squares_in(text, board)}), "")
    if len(texts) > MAX_NAMED:
        return Overlay(f"{question}: {len(texts):,} commands; `{question}` lists them", squares)
    return Overlay(f"{question}: {' · '.join(texts) or 'nothing'}", squares)


def write_pictures(
    position: Position, overlay: Overlay | None, last_squares: frozenset[str], svg: Path | None, png: Path | None
) -> None:
    """Draws the picture, and writes it to the files that are given."""
    from zimcore.picture.png import to_png
    from zimcore.picture.sheet import picture

    drawing = picture(position, overlay, last_squares)
    if svg:
        write(str(svg), [drawing.encode()])
    if png:
        write(str(png), [to_png(drawing)])
