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

from typing import TYPE_CHECKING

import click

from zimcli.session.command import PlaceCommand, argument, place_command
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcli.session.shell_completion import offer_words, overlay_offers
from zimcore.candidates import candidates
from zimcore.commits import Position
from zimcore.documents.look import BoardAnswer
from zimcore.documents.positions import position_document
from zimcore.game import NotationError, Overlay
from zimcore.picture.squares import squares_in, squares_of_last_move

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

MAX_LISTED_COMMANDS = 12
"""Commands that are listed above a board at most."""


class BoardCommand(PlaceCommand):
    """Takes the overlays of a game as options."""

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completes overlays too."""
        completions = super().shell_complete(context, incomplete)
        if incomplete.startswith("-"):
            completions += offer_words(overlay_offers, context, self.params[0], incomplete)
        return completions


@place_command(__doc__, BoardCommand, ignore_unknown_options=True)
@argument("words", nargs=-1, metavar="[--OVERLAY [WORDS]...]", type=click.UNPROCESSED)
@click.option("--svg", "svg_file", type=OutputFile(to_show=True), help="Write an SVG picture to this file.")
@click.option("--png", "png_file", type=OutputFile(to_show=True), help="Write a PNG picture to this file.")
@click.option("--picture/--no-picture", "is_picture_wanted", default=None, help="Draw a picture in the terminal.")
def command(
    session: Session,
    place: str,
    words: tuple[str, ...],
    svg_file: FileToWrite | None,
    png_file: FileToWrite | None,
    is_picture_wanted: bool | None,
) -> BoardAnswer | None:
    """Returns the board of a position, or draws pictures of it."""
    position = session.position(place)
    board = position.board
    if board is None and not (svg_file or png_file):  # a picture has its tables then
        raise NotationError("board", f"{position.game.title} has no board", ["show"])
    overlay, last_squares = chosen_overlay(position, words), squares_of_last_move(position, board)
    if svg_file or png_file:
        write_pictures(position, overlay, last_squares, svg_file, png_file)
    elif session.draw_picture(lambda: draw_png(position, overlay, last_squares), is_picture_wanted):
        return None
    written_files = tuple(file.path for file in (svg_file, png_file) if file)
    return BoardAnswer(position_document(position), board, overlay, tuple(sorted(last_squares)), written_files)


def draw_png(position: Position, overlay: Overlay | None = None, last_squares: frozenset[str] = frozenset()) -> bytes:
    """The picture of a position, as a PNG. Raises `GameError` where the library for it is not installed."""
    from zimcore.picture.png import to_png
    from zimcore.picture.sheet import draw_picture

    return to_png(draw_picture(position, overlay, last_squares))


def chosen_overlay(position: Position, words: tuple[str, ...]) -> Overlay | None:
    """The overlay that these words name: `--reach d4`."""
    if not words:
        return None
    overlay_name = words[0].removeprefix("--")
    if overlay_name == words[0]:
        hints = [f"board --{known_name}" for known_name in (*position.game.display.OVERLAYS, "legal")]
        raise NotationError(words[0], "this is neither an option of board nor a place", hints)
    if overlay_name == "legal":
        return legal_overlay(position, " ".join(words[1:]))
    return position.game.display.overlay(position.state, overlay_name, words[1:])


def legal_overlay(position: Position, command_start: str) -> Overlay:
    """The squares named by legal commands with this beginning, and the commands themselves if they are few."""
    command_texts = list(candidates(position).texts(command_start))
    board, question_text = position.board, f"legal {command_start}".rstrip()
    squares = dict.fromkeys(
        sorted({square for command_text in command_texts for square in squares_in(command_text, board)}), ""
    )
    if len(command_texts) > MAX_LISTED_COMMANDS:
        return Overlay(f"{question_text}: {len(command_texts):,} commands; `{question_text}` lists them", squares)
    return Overlay(f"{question_text}: {' · '.join(command_texts) or 'nothing'}", squares)


def write_pictures(
    position: Position,
    overlay: Overlay | None,
    last_squares: frozenset[str],
    svg_file: FileToWrite | None,
    png_file: FileToWrite | None,
) -> None:
    """Draws the picture, and writes it to the files that are given."""
    from zimcore.picture.png import to_png
    from zimcore.picture.sheet import draw_picture

    svg_text = draw_picture(position, overlay, last_squares)
    if svg_file:
        svg_file.write([svg_text.encode()])
    if png_file:
        png_file.write([to_png(svg_text)])
