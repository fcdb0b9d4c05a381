"""The content of each pane: standings, this turn, advice, other tables, log and more.

All of it comes from what the game shows of a position. A row may be clickable: it types a command, or looks back at a
commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import NamedTuple

from zimcli.game_end import turning_points
from zimcli.lesson import Lesson
from zimcli.render.answers.analysis import curves, per_cent
from zimcli.render.board import letters
from zimcli.render.clocks import clocks_line
from zimcli.render.game_end import result_lines, turning_lines
from zimcli.render.palette import seat_style
from zimcli.render.remarks import remark_line
from zimcli.render.spans import Line, Span
from zimcli.table.model import TableModel
from zimcli.table.text import clip, lines_of, narrow_table, plain_row, table_lines, width_of, wrap
from zimcore.candidates import advice, is_advice_cached
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import MARKS, HintDocument
from zimcore.documents.discussion import Remark
from zimcore.game import Advice, Seat, Table
from zimcore.toolkit.player_names import with_name
from zimcore.toolkit.words import numbered

TABLE = 36
"""Fewest columns to show the standings as a table."""
NAMED_LOG_COLUMNS = 50
"""Fewest columns for a log with seats and players. A narrower log has one of them, or a letter."""
TITLES = {
    "worth a look": "the best turns that were found: your chance to win after each, and what it brings",
    "by what it brings": "commands by what they bring at once; thinking is off, or programs may not help here",
    "this turn": "what your turn has done (✓), and what is open (▸)",
    "chances to win": "everybody's chance to win after each turn, as a kept analysis has it",
    "log": "every move; click one to look back at it",
    "legend": "what is on the board",
}
"""The titles of panes, each with its meaning."""
LOG_ROWS, LEAST_LOG_ROWS = 5, 3
"""Rows of the log next to the board, title included: usually, and if another pane needs the room."""
NAME = 11
"""The most columns of a name next to a graph."""


class TypeText(NamedTuple):
    """A click types this text."""

    text: str


class GoToCommit(NamedTuple):
    """A click looks back at the commit with this number."""

    number: int


class Explain(NamedTuple):
    """Pointing at the row shows this explanation."""

    text: str


class Headings(NamedTuple):
    """The headings of a table: the column where each begins, and its meaning."""

    meanings: tuple[tuple[int, str], ...]

    def at(self, column: int) -> Explain | None:
        """The meaning of the heading at a column."""
        before = [meaning for start, meaning in self.meanings if start <= column]
        return Explain(before[-1]) if before and before[-1] else None


class PaneRow(NamedTuple):
    """A line of a pane, and what happens when you click it or point at it."""

    line: Line
    means: TypeText | GoToCommit | Explain | Headings | None = None


class Pane(NamedTuple):
    """Rows below a title. A pane may be cut to `least` rows; once it has `enough`, other panes get the room first."""

    title: str
    rows: Sequence[PaneRow]
    least: int = 0
    enough: int = 0


def header(model: TableModel, width: int) -> Line:
    """The place and what to do there; on the right, what needs attention."""
    position, head = model.shown_position, model.head
    where: Line = [
        (f" {position.match} · {position.line} @{position.commit.number}", "class:table.where"),
        (" · ", "dim"),
    ]
    if model.seat:
        where += [(f"you are {model.seat.capitalize()}", seat_style(model.seat, position.colours)), (" · ", "dim")]
    where.append((position.status, "bold" if not model.earlier_position else ""))
    right: Line = []
    if model.busy:
        right = clip([(model.busy + " ", "class:table.news")], width * 2 // 3)
    elif model.warning:
        right = [*model.warning, (" ", "")]
    elif model.view.requests and not model.is_covered:
        request = model.view.requests[0]
        right = [(f"{request.by} asks: accept {request.number}, decline {request.number} ", "class:table.news")]
    elif model.earlier_position:
        right = [(f"looking back from @{head.commit.number}, Escape returns ", "class:table.news")]
    elif model.view.clocks:
        right = [(clocks_line(model.view.clocks) + " ", "class:table.news")]
    elif head.commit.marks:
        right = [(" ".join(f"@{mark}" for mark in head.commit.marks) + " ", "dim")]
    right = right if width_of(right) < width // 2 or model.earlier_position or model.busy else []
    left = clip(where, max(width - width_of(right) - 1, 1))
    return [*left, (" " * max(width - width_of(left) - width_of(right), 0), ""), *right]


def side(
    model: TableModel, width: int, height: int, *, log: bool, key: str = "", signs: Sequence[tuple[str, str]] = ()
) -> Iterator[PaneRow]:
    """The panes next to the board, one below the other. Those that matter most get their rows first.

    Panes without room are named in the last title, with the `key` that shows them. The `signs` of a legend are
    explained here if there is no room below the board.
    """
    position = model.shown_position
    # In the order of importance: the inspected square, then the position, then the past.
    over = [ending(model, width, height), chances(model, width)] if model.end else []
    first = [inspection_pane(model, width), *over, standings(position, width), turn(position, width)]
    first = [pane for pane in first if pane.rows]
    least_log = LEAST_LOG_ROWS if log else 0
    if model.lesson:
        rest = 1 + len(standings(position, width).rows) + least_log
        first.insert(0, lesson_pane(model.lesson, width, height - (rest if height > 2 * rest else 1)))
    beside, *more = [*tables(position, width)] or [Pane("", ())]
    more.append(Pane("legend", legend(signs, width)))
    before = [] if over else [chances(model, width), worth_a_look(model, width)]
    others = [pane for pane in (*before, beside, *more) if pane.rows]
    turned = model.pane_toggles % len(others) if others else 0
    others = [*others[turned:], *others[:turned]]
    early = others[:1] if turned else [pane for pane in others if pane not in more]
    groups = early, [pane for pane in others if pane not in early]
    pane_heights = shared_out(first, groups, height - (LOG_ROWS if log else 0))
    if log and shows_more(closer := shared_out(first, groups, height - least_log), pane_heights, first):
        pane_heights = closer
    if log and not turned and not model.earlier_position and beside.rows and not shown_in(pane_heights, beside):
        # The last moves are also below the line, so the game's own table comes before the log.
        without = shared_out(first, groups, height)
        log, pane_heights = (False, without) if shown_in(without, beside) else (log, pane_heights)
    panes = [pane._replace(rows=pane.rows[:rows]) for pane, rows in pane_heights]
    if log:
        left = height - sum(rows + 1 for _, rows in pane_heights) - 1
        panes.append(Pane("log", log_rows(model, width, left)))
    left_out = [pane.title.partition(" · ")[0] for pane in others if not shown_in(pane_heights, pane)]
    left_out = ["log", *left_out] if least_log and not log else left_out
    for number, pane in enumerate(panes, 1):
        meaning = TITLES.get(pane.title.partition(" · ")[0], "")
        line = title_line(pane.title, width, left_out if number == len(panes) else (), key)
        yield PaneRow(line, Explain(meaning) if meaning else None)
        yield from pane.rows


def shown_in(pane_heights: Sequence[tuple[Pane, int]], pane: Pane) -> bool:
    """Whether a pane is among those that fit."""
    return any(each is pane for each, _ in pane_heights)


def shows_more(
    pane_heights: Sequence[tuple[Pane, int]], other: Sequence[tuple[Pane, int]], first: Sequence[Pane]
) -> bool:
    """Whether there are more panes than in another choice, or more rows of the `first` panes."""
    rows = [sum(rows for pane, rows in each if pane in first) for each in (pane_heights, other)]
    return (len(pane_heights), rows[0]) > (len(other), rows[1])


def shared_out(first: Sequence[Pane], others: Sequence[Sequence[Pane]], room: int) -> list[tuple[Pane, int]]:
    """The panes that fit into `room` rows, each with its number of rows.

    The `first` panes, then each group of `others`, get the least they need, then more in turn.
    """
    pane_heights = list[tuple[Pane, int]]()
    for panes in (first, *others):
        for pane in panes:
            least = pane.least or len(pane.rows)
            rows = whole(pane.rows, room - 1) if pane in first else least if least < room else 0
            if rows >= least or (pane in first[:2] and rows > 0):
                pane_heights.append((pane, rows))
                room -= rows + 1
        for at, (pane, rows) in enumerate(pane_heights):
            more = whole(pane.rows, min(rows + room, pane.enough or len(pane.rows)))
            pane_heights[at], room = (pane, max(more, rows)), room - max(more - rows, 0)
    for at, (pane, rows) in enumerate(pane_heights):
        more = max(whole(pane.rows, rows + room), rows)
        pane_heights[at], room = (pane, more), room - (more - rows)
    return pane_heights


def whole(rows: Sequence[PaneRow], room: int) -> int:
    """How many rows fit without splitting an entry of several rows."""
    count = min(len(rows), max(room, 0))
    while 0 < count < len(rows) and rows[count].means and rows[count].means == rows[count - 1].means:
        count -= 1
    return count


def title_line(title: str, width: int, left_out: Sequence[str] = (), key: str = "") -> Line:
    """The title of a pane; on the right, as far as there is room, the names of hidden panes."""
    text = "─ " + "".join(part for part, _ in clip([(title, "")], max(width - 4, 1))) + " "
    more = f" {key}: {', '.join(left_out)} ─" if left_out and key else ""
    while more and len(text) + len(more) > width:
        left_out = left_out[:-1]
        more = f" {key}: {', '.join(left_out)} … ─" if left_out else ""
    return [(text[:width] + "─" * max(width - len(text) - len(more), 0) + more, "class:table.title")]


def standings(position: Position, width: int) -> Pane:
    """Each seat's figures: as the game's table, or as its toolbar if that is too wide."""
    table = position.tables[0]
    if width >= TABLE:
        return Pane(table.title.lower(), table_rows(narrow_table(table, width), position, width))
    rows = []
    for part in position.game.display.toolbar(position.state).split("  "):
        seat, _, rest = part.strip().partition(" ")
        mark = ("▸", "bold") if seat in position.to_move else (" ", "")
        rows += [
            PaneRow(line)
            for line in wrap(
                [mark, (with_name(seat, position.names), seat_style(seat, position.colours)), (f" {rest}", "")], width
            )
        ]
    return Pane(table.title.lower(), rows)


def ending(model: TableModel, width: int, height: int) -> Pane:
    """The result and the turning points of a game. Clicking a turn looks back at it. Takes at most half the rows."""
    position, end, analysis = model.shown_position, model.end, model.end_analysis
    assert end, "it is shown when a game is over"
    result = [PaneRow(row) for line in result_lines(position, analysis) for row in wrap(line, width)]
    turns = [(line, each.last) for each in turning_points(end, analysis) for line in turning_lines(position, end, each)]
    rows = [PaneRow(row, GoToCommit(last)) for line, last in turns for row in wrap(line, width)]
    if len(rows) > height // 2 - len(result):
        rows = [PaneRow(clip(line, width), GoToCommit(last)) for line, last in turns]
    return Pane("game over", [*result, *rows], least=len(position.seats))


def turn(position: Position, width: int) -> Pane:
    """The cards of your own hand, if hands are hidden, and the steps of this turn, done and open."""
    rows = [PaneRow(each) for line in own_hand(position) for each in wrap(line, width)]
    for step in position.game.display.turn(position.state):
        mark = ("✓ ", "green") if step.done else ("▸ ", "bold yellow")
        line: Line = [mark, (step.name, "" if step.done else "bold"), (f" {step.text}" if step.text else "", "dim")]
        rows += [PaneRow(each) for each in wrap(line, width)]
    return Pane("this turn", rows)


def own_hand(position: Position) -> Sequence[Line]:
    """The viewer's hand, if hands are hidden: their row in the first table that has only a name and a text per seat."""
    if position.game.secrets is None or position.seen_by not in position.seats:
        return []
    for table in position.tables[1:]:
        hand = next((row[1] for row in table.rows if len(row) == 2 and row[0] == position.seen_by), "")
        if hand and {*position.seats} <= {*table.seats}:
            return [[(f"your {table.heads[1]}: ", "dim"), (hand, "bold")]]
    return []


def chances(model: TableModel, width: int) -> Pane:
    """The chances to win up to the position on the screen, from cached judgements."""
    here = model.shown_position.commit.number
    judged = [each for each in model.judged_turns if each.last <= here]
    points, name = [each.chances for each in judged], min(max(width // 4, 1), NAME)
    title = "chances to win" + (f" after move {judged[-1].last}" if judged and judged[-1].last < here else "")
    return Pane(title, [PaneRow(line) for line in curves(points, model.shown_position.colours, width - name - 7, name)])


def lesson_pane(lesson: Lesson, width: int, height: int) -> Pane:
    """The tutorial's text, in pages; after the last page the line to type."""
    prompt = [("type: ", "dim"), (lesson.line, "bold cyan"), ("  or press Enter", "dim")]
    lines = [row for text in lesson.explanation for row in wrap([(text, "green")], width, 0)]
    last = [*wrap(prompt, width)] if lesson.line else [[("Escape closes this", "dim")]] if lesson.can_be_closed else []
    room = max(height - 1 - len(last), 1)
    lesson.pages = max(-(-len(lines) // room), 1)
    lesson.page = min(lesson.page, lesson.pages - 1)
    room = -(-len(lines) // lesson.pages)  # pages of one length: none ends in a single word
    page_lines = lines[lesson.page * room : (lesson.page + 1) * room]
    more = [[("Enter: read on", "bold cyan")]] if lesson.page + 1 < lesson.pages else last
    return Pane(
        "practise" if lesson.exercise else "tutorial",
        [*map(PaneRow, page_lines), *(PaneRow(line, TypeText(lesson.line)) for line in more)],
    )


def worth_a_look(model: TableModel, width: int) -> Pane:
    """The best turns, as far as they have been judged. If programs may not help, commands with what they bring."""
    position, thought = model.shown_position, model.current_thought
    if thought:
        answer = thought.answer
        rows = [PaneRow(bar({seat: each.chance for seat, each in answer.now.items()}, position.colours, width))]
        turns = [[*hint_rows(each, width)] for each in answer.hints]
        least = 1 + sum(row.means is not None for row in turns[0]) if turns else 1
        enough = 1 + sum(map(len, turns[:2]))
        rows += [row for turn_rows in turns for row in turn_rows]
        thinking = "" if thought.done else "thinking, "
        title = f"worth a look · {thinking}{numbered(answer.nodes, 'position')}"
        return Pane(title, rows, least=least, enough=enough)
    if model.is_judging and not model.earlier_position:
        return Pane("", ())
    may_play = not model.seat or model.seat in position.to_move
    offers = advice(position) if may_play and model.view.advises and is_advice_cached(position) else ()
    rows = [row for each in offers for row in advice_rows(each, width)]
    return Pane("by what it brings", rows, least=min(len(rows), 1))


def hint_rows(each: HintDocument, width: int) -> Iterator[PaneRow]:
    """A turn with the chance after it, and what it brings, in one row if all fits."""
    turn = "; ".join(each.commands)
    for line in wrap([(f"{per_cent(each.chance)} ", ""), (turn, "bold")], width):
        yield PaneRow(line, TypeText(turn))
    for line in wrap([(f"  {each.why}", "")] if each.why else [], width):
        yield PaneRow(line)


def bar(chances: Mapping[Seat, float], colours: Mapping[Seat, str], width: int) -> Line:
    """A horizontal bar with each seat's chance to win as a section, with its letter and number."""
    line, letter = list[tuple[str, str]](), letters(colours)
    left, rest = width, sum(chances.values()) or 1.0
    for seat, chance in chances.items():
        columns = round(left * chance / rest) if rest > 0 else left
        label = f"{letter.get(seat, seat[:1].upper())}{100 * chance:.0f}"
        line.append((label.center(columns) if len(label) <= columns else " " * columns, seat_style(seat, colours)))
        left, rest = left - columns, rest - chance
    return line


def known_chances(model: TableModel) -> Mapping[Seat, float]:
    """Each seat's chance to win in the position on the screen, from the current or the cached judgement."""
    if model.current_thought:
        return {seat: each.chance for seat, each in model.current_thought.answer.now.items()}
    if not model.thinks or not model.view.helps:
        return {}
    here = model.shown_position.commit.number
    judged = next((each for each in reversed(model.view.judged) if each.last == here), None)
    return {seat: each.chance for seat, each in judged.chances.items()} if judged else {}


def upright_bar(chances: Mapping[Seat, float], colours: Mapping[Seat, str], height: int) -> Iterator[Span]:
    """A vertical bar with each seat's chance to win as a section, with its letter; a plain line if none are known."""
    signs, rest, left = letters(colours), sum(chances.values()), height
    for seat, chance in chances.items():
        rows = round(left * chance / rest) if rest > 0 else 0
        yield from (
            (signs.get(seat, seat[:1].upper()) if not at else "│", seat_style(seat, colours)) for at in range(rows)
        )
        left, rest = left - rows, rest - chance
    yield from (("│", "class:table.title") for _ in range(left))


def advice_rows(each: Advice, width: int) -> Iterator[PaneRow]:
    """A command and what it brings, in one row if both fit."""
    brings = ", ".join(each.brings)
    for line in wrap([(each.text, "bold"), (f"  {brings}" if brings else "", "")], width):
        yield PaneRow(line, TypeText(each.text))


def tables(position: Position, width: int) -> Iterator[Pane]:
    """The game's other tables."""
    for table in position.tables[1:]:
        if table.rows:
            yield Pane(table.title.lower(), table_rows(table, position, width), least=0)


def table_rows(table: Table, position: Position, width: int) -> list[PaneRow]:
    """A table as rows. Its headings have their meanings."""
    rows = [PaneRow(line) for line in table_lines(table, position.colours, width, whole=False)]
    heads = plain_row(rows[0].line) if rows else ""
    end, meanings = 0, list[tuple[int, str]]()
    for head in table.heads:
        at = heads.find(head, end)
        if at < 0:
            break
        meaning = position.game.display.HEADINGS.get(head, "")
        meanings.append((end, f"{head}: {meaning}" if meaning else ""))
        end = at + len(head)
    if meanings and rows[0].line[0][1] == "dim":
        rows[0] = rows[0]._replace(means=Headings(tuple(meanings)))
    return rows


def legend(entries: Iterable[tuple[str, str]], width: int) -> list[PaneRow]:
    """The legend of the board, as many entries per row as fit."""
    rows, line = list[PaneRow](), Line()
    for sign, meaning in entries:
        entry: Line = [(f" {sign}", "bold"), (f" {meaning} ", "dim")]
        if line and width_of(line) + width_of(entry) > width:
            rows.append(PaneRow(line))
            line = []
        line += entry
    return [*rows, PaneRow(line)] if line else rows


def inspection_pane(model: TableModel, width: int) -> Pane:
    """What is on the square under the cursor."""
    rows = [PaneRow(line) for line in lines_of(model.inspected, width, whole=False)]
    return Pane(model.cursor, rows, least=1)


def log_rows(model: TableModel, width: int, height: int) -> list[PaneRow]:
    """The last moves, or the moves around the one on the screen."""
    view, here = model.view, model.shown_position.commit.number
    both: tuple[Sequence[Commit | Remark], ...] = (view.commits, view.discussion.talk)
    entries = [*merge(*both, key=lambda each: each.at)]
    last = len(entries)
    if model.earlier_position:
        at = next((at for at, each in enumerate(entries) if isinstance(each, Commit) and each.number == here), 0)
        last = min(max(at + height // 2, height), last)
    visible = entries[max(last - height, 0) : last] if height > 0 else []
    rows = [row for each in visible for row in log_entry(each, model, width)]
    return rows[max(len(rows) - height, 0) :] if not model.earlier_position else rows[:height]


def log_entry(entry: Commit | Remark, model: TableModel, width: int) -> Iterator[PaneRow]:
    """A move in one row; a message in as many as it needs."""
    if isinstance(entry, Commit):
        yield PaneRow(log_line(entry, model, width), GoToCommit(entry.number))
    else:
        yield from map(PaneRow, wrap(remark_line(entry), width))


def author_text(seat: str, head: Position, width: int) -> str:
    """The author of a move, to fit the width: seat and player, one of them, or a letter."""
    if width >= NAMED_LOG_COLUMNS:
        return with_name(seat, head.names)
    return head.names.get(seat, seat) if width >= TABLE else letters(head.colours).get(seat, seat[:1].upper())


def log_line(commit: Commit, model: TableModel, width: int) -> Line:
    """A move in one row."""
    is_here = bool(model.earlier_position) and commit.number == model.shown_position.commit.number
    colour = seat_style(commit.seat, model.head.colours) if commit.seat else "dim"
    name = f" {author_text(commit.seat, model.head, width)}" if commit.seat else ""
    line: Line = [(f"{commit.number:>4}{name}", colour), (f" {commit.text}", "bold reverse" if is_here else "")]
    judged = next((each for each in model.judged_turns if each.last == commit.number), None)
    if judged and width >= TABLE:
        line.append((f"  {per_cent(judged.chances[judged.seat].chance)}", "dim"))
        line.append((f" {MARKS[judged.word]}" if judged.word else "", "yellow"))
    if commit.summary:
        line.append((f"  {commit.summary}", "dim"))
    return clip(line, width)
