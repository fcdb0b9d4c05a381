"""The screen: paints every box of the layout into prompt-toolkit's screen, and repaints only what has changed.

The library copies every character of a window at each key, and a board has thousands. This single container keeps its
painted rows, and reuses them until what they show has changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from prompt_toolkit.layout import Container, Dimension, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent

from zimcli.render.board import Size
from zimcli.render.map import drawing_class
from zimcli.render.problems import with_hints_first
from zimcli.render.spans import Line, to_ascii
from zimcli.repl.key_actions import foot_keys
from zimcli.table import panes
from zimcli.table.layout import Box, Layout, arrange, extent
from zimcli.table.menu import Menu
from zimcli.table.model import TableModel
from zimcli.table.panes import PaneRow
from zimcli.table.preview import Preview
from zimcli.table.text import clip, lines_of, width_of
from zimcli.table.theme import to_prompt_style
from zimcore.game import Board
from zimcore.picture.squares import points_of_squares, squares_in, squares_of_last_move
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

PaintedRows: TypeAlias = "list[dict[int, Char]]"


class SquareClick(NamedTuple):
    """A square of the board was clicked."""

    name: str


class WordClick(NamedTuple):
    """A word of the menu was clicked, by its number."""

    number: int


Meaning: TypeAlias = (
    "panes.TypeText | panes.GoToCommit | panes.Explain | panes.PressKey | SquareClick | WordClick | None"
)


class TableContainer(Container):
    """Paints the model. Only the input line is a window of the library."""

    def __init__(
        self,
        model: TableModel,
        menu: Menu,
        line_window: Window,
        search_window: Window,
        theme: str,
        *,
        has_glyphs: bool,
        on_mouse: Callable[[MouseEvent], NotImplementedOrNone],
    ) -> None:
        self.model = model
        self.menu = menu
        self.line_window = line_window
        self.search_window = search_window
        self.theme = theme
        self.has_glyphs = has_glyphs
        self.on_mouse = on_mouse
        self.layout: Layout | None = None
        self.scrolled_rows = 0
        self._rows: dict[str, tuple[Hashable, PaintedRows, Sequence[PaneRow]]] = {}
        self._painted_boxes = set[str]()
        self._chars: dict[tuple[str, str], Char] = {}
        self._scrolled_for: tuple[str, Collection[str]] = "", ()
        self._boards: dict[tuple[str, str, str], Board | None] = {}

    def reset(self) -> None:
        """Resets the windows of the input line and the search."""
        self.line_window.reset()
        self.search_window.reset()

    def preferred_width(self, max_available_width: int) -> Dimension:
        """Any width."""
        return Dimension()

    def preferred_height(self, width: int, max_available_height: int) -> Dimension:
        """Any height."""
        return Dimension()

    def get_children(self) -> list[Container]:
        """The windows that can have the focus."""
        return [self.line_window, self.search_window]

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Paints everything."""
        columns, rows = write_position.width, write_position.height
        model, board = self.model, self.board
        height = self.line_window.preferred_height(columns, rows).preferred
        layout = self.layout = arrange(
            columns, rows, board, height, shows_panes=bool(model.pane_key_presses % 2), legend_rows=self.legend_rows
        )
        mouse_handlers.mouse_handlers = defaultdict(lambda: defaultdict(lambda: self.on_mouse))
        self._painted_boxes = set()
        for name, box, key, make_rows in self.boxes(layout, board):
            if box.width > 0 and box.height > 0:
                self._painted_boxes.add(name)
                for y, chars in enumerate(self.paint_rows(name, box, key, make_rows), box.y):
                    screen.data_buffer[y].update(chars)
        is_side_covered = (model.pager and layout.pager != layout.side) or model.is_covered
        if layout.side.width and layout.side.x and not is_side_covered:
            box = Box(layout.side.x - 1, layout.side.y, 1, layout.side.height)
            for y, chars in enumerate(self.paint_rows("bar", box, model.version, self.bar_rows), box.y):
                screen.data_buffer[y].update(chars)
        screen.width, screen.height = max(screen.width, columns), max(screen.height, rows)
        window, box = self.line_window, layout.line
        window_position = WritePosition(box.x, box.y, box.width, box.height)
        window.write_to_screen(screen, mouse_handlers, window_position, parent_style, erase_bg, z_index)
        if self.search_window.content.is_focusable() and self.is_searching() and layout.answer.height:
            window_position = WritePosition(0, layout.answer.y, columns, 1)
            self.search_window.write_to_screen(screen, mouse_handlers, window_position, parent_style, True, z_index)

    is_searching: Callable[[], bool] = staticmethod(lambda: False)

    def boxes(
        self, layout: Layout, board: Board | None
    ) -> Iterable[tuple[str, Box, Hashable, Callable[[Box], Iterable[PaneRow]]]]:
        """All boxes: the name, the box, what its content depends on, and the function that makes its rows."""
        model, version = self.model, self.model.version
        if model.is_covered:
            yield "header", layout.header, version, lambda box: [PaneRow(panes.header(model, box.width))]
            return
        yield "header", layout.header, version, lambda box: [PaneRow(panes.header(model, box.width))]
        covered_box = layout.pager if model.pager else None
        if covered_box != layout.side or not layout.side.width:
            yield "side", layout.side, (version, bool(layout.log.width)), self.side_rows
        if layout.board.width and board and (covered_box is None or covered_box.x):
            untyped = bool(board.paths) or model.focus == "board"
            highlighted = (
                self.menu.highlighted_squares(untyped=untyped) if not model.earlier_position else frozenset[str]()
            )
            line_preview = model.preview(self.menu.buffer.text)
            key = (version, highlighted, layout.size, id(line_preview))
            yield "board", layout.board, key, lambda box: self.board_rows(box, board, highlighted, line_preview)
        if not covered_box or covered_box.x:
            yield "log", layout.log, version, self.log_rows
            yield "legend", layout.legend, version, self.legend_box_rows
        if model.pager:
            yield "pager", layout.pager, (version, model.pager.top_line), self.pager_rows
        yield "menu", layout.menu, self.menu.rows_key(), lambda box: self.menu.rows(box.width, box.height)
        yield "answer", layout.answer, (version, *self.menu.cut_choice), self.answer_rows

    def paint_rows(
        self, name: str, box: Box, key: Hashable, make_rows: Callable[[Box], Iterable[PaneRow]]
    ) -> PaintedRows:
        """The rows of a box as characters by column. They are repainted only if the key has changed."""
        cached_rows = self._rows.get(name)
        if cached_rows is None or cached_rows[0] != (box, key):
            rows = [*make_rows(box)][: box.height]
            cached_rows = (box, key), [self.paint_line(row.line, box) for row in rows], rows
            self._rows[name] = cached_rows
        return cached_rows[1]

    def paint_line(self, line: Line, box: Box) -> dict[int, Char]:
        """A line as characters by column, cut to the box."""
        chars: dict[int, Char] = {}
        x, end = box.x, box.x + box.width
        for text, style in line:
            prompt_style = to_prompt_style(style, self.theme)
            for letter in text if self.has_glyphs else to_ascii(text):
                char = self.char(letter, prompt_style)
                if x + char.width > end:
                    return chars
                if char.width:
                    chars[x] = char
                    if char.width > 1:
                        chars[x + 1] = self.char("", prompt_style)
                    x += char.width
        return chars

    def char(self, letter: str, style: str) -> Char:
        """A character with a style, cached."""
        char = self._chars.get((letter, style))
        if char is None:
            char = self._chars[letter, style] = Char(letter, style)
        return char

    @property
    def board(self) -> Board | None:
        """The board on the screen, cached by position."""
        position = self.model.shown_position
        key = (position.match, position.commit.digest, position.seen_by)
        if key not in self._boards:
            self._boards = {key: position.board}
        return self._boards[key]

    def board_rows(self, box: Box, board: Board, highlighted: frozenset[str], preview: Preview) -> list[PaneRow]:
        """The board with the preview of the line. If it is too tall, the rows around the cursor or the last move."""
        model = self.model
        assert self.layout
        overlay, last_squares = model.overlay, squares_of_last_move(model.shown_position, board)
        if preview.cells:
            highlighted = squares_in(self.menu.buffer.text, board)
        drawing = drawing_class(board)(
            preview.applied_to(board),
            model.shown_position.colours,
            has_glyphs=self.has_glyphs,
            overlay=overlay.squares if overlay else dict(preview.signs) or None,
            last_squares=last_squares,
            highlighted_squares=highlighted,
            ghost_squares=preview.cells.keys(),
            cursor=model.cursor,
            fades_unmarked=False,
            size=self.layout.size,
        )
        board_height, lines_per_square = extent(board, self.layout.size)[1], self.layout.size.lines
        heading, *rows = [PaneRow(line) for line in drawing.lines()][:board_height]
        is_map = not any(board.columns)
        if is_map:  # the row of column letters is free
            heading = next(iter(panes.legend(self.signs(self.layout.size), box.width)), heading)
        if len(rows) < box.height:
            self.scrolled_rows = 0
            return [heading, *rows]
        visible_rows = self.rows_of_squares(board, box)
        marked_squares = (
            {model.cursor} if model.cursor else set(highlighted) or {*last_squares, *self.squares_to_move(board)}
        )
        if self._scrolled_for != (
            model.shown_position.commit.digest,
            marked_squares,
        ):  # otherwise keep the rows that the mouse wheel chose
            self._scrolled_for = model.shown_position.commit.digest, marked_squares
            self.scrolled_rows = scroll_to_rows(
                [y * lines_per_square for _, y in points_of_squares(board, marked_squares).values()],
                self.scrolled_rows,
                visible_rows,
            )
        hidden_count = len(rows) - visible_rows
        self.scrolled_rows = max(min(self.scrolled_rows, hidden_count), 0)
        shown_rows = [heading, *rows[self.scrolled_rows : self.scrolled_rows + visible_rows]]
        return [*shown_rows, self.hidden_rows(hidden_count, box.width)] if is_map else shown_rows

    @staticmethod
    def rows_of_squares(board: Board, box: Box) -> int:
        """The rows for squares on a board that is too tall. Below a map another one says how many are hidden."""
        return box.height - (1 if any(board.columns) else 2)

    def hidden_rows(self, hidden_count: int, width: int) -> PaneRow:
        """How many rows of a board are hidden, and how to see them."""
        sides = (("above", self.scrolled_rows), ("below", hidden_count - self.scrolled_rows))
        text = ", ".join(f"{numbered(rows, 'row')} {side}" for side, rows in sides if rows > 0)
        return PaneRow([(f"{text}: {self.menu.keys['board']} or the wheel ".rjust(width), "dim")])

    def scroll_board(self, rows: int) -> bool:
        """Scrolls a board that is too tall. Returns whether that changed anything."""
        scroll_before = self.scrolled_rows
        board, layout = self.board, self.layout
        if board and layout and layout.board.height:
            board_height = extent(board, layout.size)[1] - 1
            room = board_height if board_height < layout.board.height else self.rows_of_squares(board, layout.board)
            self.scrolled_rows = max(min(self.scrolled_rows + rows, board_height - room), 0)
        return self.scrolled_rows != scroll_before

    def squares_to_move(self, board: Board) -> Iterable[str]:
        """The places of the seats to move, on a map."""
        movers = self.model.shown_position.to_move
        return {cell.square for row in board.cells for cell in row if cell.role == "place" and cell.owner in movers}

    def bar_rows(self, box: Box) -> Iterable[PaneRow]:
        """The bar between the board and the panes: each seat's chance to win, if known."""
        chances = panes.known_chances(self.model)
        return [PaneRow([span]) for span in panes.upright_bar(chances, self.model.shown_position.colours, box.height)]

    def side_rows(self, box: Box) -> Iterable[PaneRow]:
        """The panes next to the board."""
        assert self.layout
        key = self.menu.keys["panes"]
        legend_box, signs = self.layout.legend, self.signs(self.layout.size)
        is_shown = legend_box.height >= len(panes.legend(signs, legend_box.width))
        return panes.side_panes(
            self.model,
            box.width,
            box.height,
            log=not self.layout.log.height,
            key=key,
            signs=() if is_shown and legend_box.height else signs,
        )

    def legend_box_rows(self, box: Box) -> Iterable[PaneRow]:
        """The legend below the board."""
        assert self.layout
        return panes.legend(self.signs(self.layout.size), box.width)

    def legend_rows(self, size: Size, width: int) -> int:
        """The number of rows of the legend."""
        return len(panes.legend(self.signs(size), width))

    def signs(self, size: Size) -> list[tuple[str, str]]:
        """The signs on the board with their meanings, as they look at this size."""
        board = self.board
        return (
            drawing_class(board)(board, {}, has_glyphs=self.has_glyphs, size=size).fitted_legend_entries()
            if board
            else []
        )

    def log_rows(self, box: Box) -> Iterable[PaneRow]:
        """The log below the board."""
        yield PaneRow(panes.title_line("log", box.width))
        yield from panes.log_rows(self.model, box.width, box.height - 1)

    def pager_rows(self, box: Box) -> Iterable[PaneRow]:
        """The text in the pager, from its top line."""
        pager = self.model.pager
        assert pager
        lines = list(lines_of(pager.blocks, box.width))
        room = box.height - 1
        pager.top_line = max(min(pager.top_line, len(lines) - room), 0)
        rows_below = len(lines) - room - pager.top_line
        title = (
            f"{pager.title} · "
            + (f"{numbered(rows_below, 'line')} below · " if rows_below > 0 else "")
            + "Escape closes"
        )
        yield PaneRow(panes.title_line(title, box.width))
        blank = PaneRow([(" " * box.width, "")])
        for index in range(pager.top_line, pager.top_line + room):
            yield PaneRow([*lines[index], (" " * box.width, "")]) if index < len(lines) else blank

    def answer_rows(self, box: Box) -> Iterable[PaneRow]:
        """The last answer, below the line, with the foot of the screen if there is room.

        A choice that the menu had to cut comes before it. Of moves it has those that the log can't show in full.
        """
        answer_blocks = [self.menu.cut_choice] if self.menu.cut_choice else self.model.answer
        if self.model.shows_end and not self.menu.cut_choice:
            logged_moves = self.logged_words()
            answer_blocks = [
                block
                for block in answer_blocks
                if not (isinstance(block, list) and words_of_move(block) in logged_moves)
            ]
        lines = [PaneRow(line) for line in join_lines(list(lines_of(answer_blocks, box.width)), box)]
        if len(lines) > box.height:
            answer_blocks = with_hints_first(answer_blocks)
            lines = [PaneRow(line) for line in join_lines(list(lines_of(answer_blocks, box.width)), box)]
        if len(lines) < box.height and not self.model.is_covered:
            foot_row = (
                PaneRow(clip([(" ", ""), *self.model.pointer_line], box.width))
                if self.model.pointer_line
                else self.foot_row(box.width)
            )
            return [*lines, *[PaneRow([])] * (box.height - len(lines) - 1), foot_row]
        if self.model.pointer_line and box.height > 1 and not self.model.is_covered:
            return [*lines[: box.height - 1], PaneRow(clip([(" ", ""), *self.model.pointer_line], box.width))]
        if len(lines) > box.height > 0:
            more_text = f"  … {len(lines) - box.height} more: {self.menu.keys['answer']}"
            if self.model.shows_end:
                lines = lines[-box.height :]
                return [
                    PaneRow([*clip(lines[0].line, max(box.width - len(more_text), 1)), (more_text, "dim")]),
                    *lines[1:],
                ]
            last_line = clip(lines[box.height - 1].line, max(box.width - len(more_text), 1))
            lines[box.height - 1 :] = [PaneRow([*last_line, (more_text, "dim")])]
        return lines

    def logged_words(self) -> set[tuple[str, ...]]:
        """The words of each move that the log on the screen shows in full."""
        rows = [row for name in ("side", "log") if name in self._painted_boxes for row in self._rows[name][2]]
        return {words_of_move(row.line) for row in rows if isinstance(row.action, panes.GoToCommit)}

    def foot_row(self, width: int) -> PaneRow:
        """The keys that work here, as many as fit."""
        line: Line = []
        view, actions = self.model.view, list[tuple[int, str]]()
        for key, label, action in foot_keys(self.menu.keys, self.model.focus, helps=view.helps and view.end is None):
            entry = [(f" {key}", "bold"), (f" {label} ", "dim")]
            if width_of(line) + width_of(entry) > width:
                break
            line += entry
            actions.append((width_of(line), action))
        return PaneRow(line, panes.FootKeys(tuple(actions)))

    def meaning_at(self, x: int, y: int) -> Meaning:
        """What is at a point of the screen."""
        layout = self.layout
        if layout is None:
            return None
        if self.model.pager and layout.pager.contains(x, y):
            return None
        if layout.board.contains(x, y):
            return self.square_at(x, y, layout)
        if layout.side.x and x == layout.side.x - 1 and layout.side.contains(x + 1, y):
            chances = panes.known_chances(self.model)
            return panes.Explain(panes.chances_text(chances)) if chances else None
        if layout.menu.contains(x, y):
            number = self.menu.word_at(x - layout.menu.x, y - layout.menu.y)
            return None if number is None else WordClick(number)
        for name, box in (("side", layout.side), ("log", layout.log), ("answer", layout.answer)):
            if box.contains(x, y) and name in self._rows:
                rows = self._rows[name][2]
                action = rows[y - box.y].action if y - box.y < len(rows) else None
                return action.meaning_at(x - box.x) if isinstance(action, panes.Headings | panes.FootKeys) else action
        return None

    def square_at(self, x: int, y: int, layout: Layout) -> SquareClick | None:
        """The square at a point; on a map, the place whose block or name is there."""
        board = self.board
        assert board
        drawing = drawing_class(board)(board, {}, size=layout.size)
        name = drawing.square_at(
            x - layout.board.x - drawing.margin,
            y - layout.board.y - 1 + (self.scrolled_rows if y > layout.board.y else 0),
        )
        return SquareClick(name) if name else None


def words_of_move(line: Line) -> tuple[str, ...]:
    """The words of a move in the log or in an answer, without the names of the position after it.

    >>> words_of_move([("  12 ", "dim"), (" zulu ", ""), ("bid 3", ""), ("  @r4.zulu", "cyan")])
    ('12', 'zulu', 'bid', '3')
    """
    return tuple(word for text, _ in line for word in text.split() if not word.startswith("@"))


def join_lines(lines: list[Line], box: Box) -> list[Line]:
    """The lines of an answer. If an error has too many for the box, its first two are joined in one row if they fit.

    This saves a row for the last line of the error, which says what to type next.
    """
    if 1 < box.height < len(lines):
        reason = [(text.lstrip() if not index else text, style) for index, (text, style) in enumerate(lines[1])]
        joined_line = [*lines[0], (" · ", "dim"), *reason]
        if lines[0][:1] and lines[0][0][1] == "bold red" and width_of(joined_line) <= box.width:
            return [joined_line, *lines[2:]]
    return lines


def scroll_to_rows(rows: Collection[int], first_row: int, room: int) -> int:
    """The first row to show so that all of these rows are visible; unchanged if they are, or can't all be.

    >>> scroll_to_rows([1, 3], 0, 10), scroll_to_rows([20, 22], 0, 10), scroll_to_rows([1, 22], 5, 10)
    (0, 16, 5)
    """
    if not rows or max(rows) - min(rows) >= room or first_row <= min(rows) <= max(rows) < first_row + room:
        return first_row
    return (min(rows) + max(rows)) // 2 - room // 2
