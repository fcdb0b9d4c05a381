"""The content of each pane: standings, this turn, advice, other tables, log and more.

All of it comes from what the game shows of a position. A row may be clickable: it types a command, or looks back at a
commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import NamedTuple

from zimcli.render.answers.analysis import curve_lines, percent_text
from zimcli.render.board import letters
from zimcli.render.clocks import clocks_line
from zimcli.render.palette import seat_style
from zimcli.render.remarks import remark_line
from zimcli.render.spans import Line, Span
from zimcli.session.lesson import Lesson
from zimcli.study.game_end import turning_points
from zimcli.study.game_end_blocks import result_lines, turning_lines
from zimcli.table.model import TableModel
from zimcli.table.text import clip, lines_of, narrow_table, plain_row, table_lines, width_of, wrap
from zimcore.candidates import advice, is_advice_cached
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import MARKS, HintDocument
from zimcore.documents.discussion import Remark
from zimcore.game import Advice, Seat, Table
from zimcore.toolkit.player_names import with_name
from zimcore.toolkit.words import numbered

MIN_TABLE_COLUMNS = 36
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
BAR_MEANING = ("letters left of the panes", "everybody's chance to win: the more rows, the better")
"""The bar between the board and the panes, with its meaning."""
LOG_ROWS, LEAST_LOG_ROWS = 5, 3
"""Rows of the log next to the board, title included: usually, and if another pane needs the room."""
SENTENCE_END = re.compile(r"(?<=[.?!:])\s+(?=[A-Z])")
MAX_NAME_COLUMNS = 11
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

    def meaning_at(self, column: int) -> Explain | None:
        """The meaning of the heading at a column."""
        meanings_before = [meaning for start, meaning in self.meanings if start <= column]
        return Explain(meanings_before[-1]) if meanings_before and meanings_before[-1] else None


class PressKey(NamedTuple):
    """A click does what the key of an action does."""

    action: str


class FootKeys(NamedTuple):
    """The keys at the foot of the screen: the column where each ends, and its action."""

    actions: tuple[tuple[int, str], ...]

    def meaning_at(self, column: int) -> PressKey | None:
        """The key at a column."""
        action = next((action for end, action in self.actions if column < end), "")
        return PressKey(action) if action else None


class PaneRow(NamedTuple):
    """A line of a pane, and what happens when you click it or point at it."""

    line: Line
    action: TypeText | GoToCommit | Explain | Headings | FootKeys | None = None


class Pane(NamedTuple):
    """Rows below a title. A pane may be cut to `least_rows`; once it has `enough_rows`, others get the room first."""

    title: str
    rows: Sequence[PaneRow]
    least_rows: int = 0
    enough_rows: int = 0


def header(model: TableModel, width: int) -> Line:
    """The place and what to do there; on the right, what needs attention."""
    position, head = model.shown_position, model.head
    location: Line = [
        (f" {position.match} · {position.line} @{position.commit.number}", "class:table.where"),
        (" · ", "dim"),
    ]
    if model.seat:
        location += [(f"you are {model.seat.capitalize()}", seat_style(model.seat, position.colours)), (" · ", "dim")]
    location.append((position.status, "bold" if not model.earlier_position else ""))
    right_part: Line = []
    if model.busy_text:
        right_part = clip([(model.busy_text + " ", "class:table.news")], width * 2 // 3)
    elif model.warning:
        right_part = [*model.warning, (" ", "")]
    elif model.view.waiting and not model.is_covered:
        right_part = [(f"{model.view.waiting[0].brief} ", "class:table.news")]
    elif model.earlier_position:
        right_part = [(f"looking back from @{head.commit.number}, Escape returns ", "class:table.news")]
    elif model.view.clocks:
        right_part = [(clocks_line(model.view.clocks) + " ", "class:table.news")]
    elif head.commit.marks:
        right_part = [(" ".join(f"@{mark}" for mark in head.commit.marks) + " ", "dim")]
    right_part = right_part if width_of(right_part) < width // 2 or model.earlier_position or model.busy_text else []
    left_part = clip(location, max(width - width_of(right_part) - 1, 1))
    return [*left_part, (" " * max(width - width_of(left_part) - width_of(right_part), 0), ""), *right_part]


def side_panes(
    model: TableModel, width: int, height: int, *, log: bool, key: str = "", signs: Sequence[tuple[str, str]] = ()
) -> Iterator[PaneRow]:
    """The panes next to the board, one below the other. Those that matter most get their rows first.

    Panes without room are named in the last title, with the `key` that shows them. The `signs` of a legend are
    explained here if there is no room below the board.
    """
    position = model.shown_position
    # In the order of importance: the inspected square, then the position, then the past.
    end_panes = [ending_pane(model, width, height), chances_pane(model, width)] if model.end else []
    first_panes = [
        inspection_pane(model, width),
        *end_panes,
        standings_pane(position, width),
        turn_pane(position, width),
    ]
    first_panes = [pane for pane in first_panes if pane.rows]
    least_log_rows = LEAST_LOG_ROWS if log else 0
    if model.lesson:
        reserved_rows = 1 + len(standings_pane(position, width).rows) + least_log_rows
        first_panes.insert(
            0, lesson_pane(model.lesson, width, height - (reserved_rows if height > 2 * reserved_rows else 1))
        )
    game_table, *more_panes = [*table_panes(position, width)] or [Pane("", ())]
    more_panes.append(Pane("legend", legend(signs, width)))
    advice_panes = [] if end_panes else [chances_pane(model, width), advice_pane(model, width)]
    other_panes = [pane for pane in (*advice_panes, game_table, *more_panes) if pane.rows]
    rotation = model.pane_key_presses % len(other_panes) if other_panes else 0
    other_panes = [*other_panes[rotation:], *other_panes[:rotation]]
    if rotation:  # the pane that was asked for may be cut
        other_panes[0] = other_panes[0]._replace(least_rows=1)
    early_panes = other_panes[:1] if rotation else [pane for pane in other_panes if pane not in more_panes]
    groups = early_panes, [pane for pane in other_panes if pane not in early_panes]
    pane_heights = share_rows(first_panes, groups, height - (LOG_ROWS if log else 0))
    if log and shows_more(
        denser_heights := share_rows(first_panes, groups, height - least_log_rows), pane_heights, first_panes
    ):
        pane_heights = denser_heights
    if (
        log
        and not rotation
        and not model.earlier_position
        and game_table.rows
        and not is_shown_in(pane_heights, game_table)
    ):
        # The last moves are also below the line, so the game's own table comes before the log.
        heights_without_log = share_rows(first_panes, groups, height)
        log, pane_heights = (
            (False, heights_without_log) if is_shown_in(heights_without_log, game_table) else (log, pane_heights)
        )
    panes = [pane._replace(rows=pane.rows[:rows]) for pane, rows in pane_heights]
    if log:
        log_height = height - sum(rows + 1 for _, rows in pane_heights) - 1
        panes.append(Pane("log", log_rows(model, width, log_height)))
    hidden_titles = [pane.title.partition(" · ")[0] for pane in other_panes if not is_shown_in(pane_heights, pane)]
    hidden_titles = ["log", *hidden_titles] if least_log_rows and not log else hidden_titles
    for number, pane in enumerate(panes, 1):
        meaning = TITLES.get(pane.title.partition(" · ")[0], "")
        title = title_line(pane.title, width, hidden_titles if number == len(panes) else (), key)
        yield PaneRow(title, Explain(meaning) if meaning else None)
        yield from pane.rows


def is_shown_in(pane_heights: Sequence[tuple[Pane, int]], pane: Pane) -> bool:
    """Whether a pane is among those that fit."""
    return any(each is pane for each, _ in pane_heights)


def shows_more(
    pane_heights: Sequence[tuple[Pane, int]], alternative: Sequence[tuple[Pane, int]], first_panes: Sequence[Pane]
) -> bool:
    """Whether there are more panes than in another choice, or more rows of the `first_panes` panes."""
    rows = [sum(rows for pane, rows in each if pane in first_panes) for each in (pane_heights, alternative)]
    return (len(pane_heights), rows[0]) > (len(alternative), rows[1])


def share_rows(
    first_panes: Sequence[Pane], other_groups: Sequence[Sequence[Pane]], free_rows: int
) -> list[tuple[Pane, int]]:
    """The panes that fit into `free_rows` rows, each with its number of rows.

    The `first_panes` panes, then each group of `other_groups`, get the least they need, then more in turn.
    """
    pane_heights = list[tuple[Pane, int]]()
    for panes in (first_panes, *other_groups):
        for pane in panes:
            least_rows = pane.least_rows or len(pane.rows)
            rows = (
                count_whole_entries(pane.rows, free_rows - 1)
                if pane in first_panes
                else least_rows
                if least_rows < free_rows
                else 0
            )
            if rows >= least_rows or (pane in first_panes[:2] and rows > 0):
                pane_heights.append((pane, rows))
                free_rows -= rows + 1
        for index, (pane, rows) in enumerate(pane_heights):
            new_rows = count_whole_entries(pane.rows, min(rows + free_rows, pane.enough_rows or len(pane.rows)))
            pane_heights[index], free_rows = (pane, max(new_rows, rows)), free_rows - max(new_rows - rows, 0)
    for index, (pane, rows) in enumerate(pane_heights):
        new_rows = max(count_whole_entries(pane.rows, rows + free_rows), rows)
        pane_heights[index], free_rows = (pane, new_rows), free_rows - (new_rows - rows)
    return pane_heights


def count_whole_entries(rows: Sequence[PaneRow], room: int) -> int:
    """How many rows fit without splitting an entry of several rows."""
    count = min(len(rows), max(room, 0))
    while 0 < count < len(rows) and rows[count].action and rows[count].action == rows[count - 1].action:
        count -= 1
    return count


def title_line(title: str, width: int, hidden_titles: Sequence[str] = (), key: str = "") -> Line:
    """The title of a pane; on the right, as far as there is room, the names of hidden panes."""
    text = "─ " + "".join(title_part for title_part, _ in clip([(title, "")], max(width - 4, 1))) + " "
    fewer_titles = (f"{', '.join(hidden_titles[:count])} …" for count in range(len(hidden_titles) - 1, 0, -1))
    hidden_texts = [f" {key}: {names} ─" for names in (", ".join(hidden_titles), *fewer_titles, "more")]
    hidden_text = next((each for each in hidden_texts if len(text) + len(each) <= width), "")
    hidden_text = hidden_text if hidden_titles and key else ""
    return [(text[:width] + "─" * max(width - len(text) - len(hidden_text), 0) + hidden_text, "class:table.title")]


def standings_pane(position: Position, width: int) -> Pane:
    """Each seat's figures: as the game's table, or as its toolbar if that is too wide."""
    table = position.tables[0]
    if width >= MIN_TABLE_COLUMNS:
        return Pane(table.title.lower(), table_rows(narrow_table(table, width), position, width))
    rows = []
    for seat_text in position.game.display.toolbar(position.state).split("  "):
        seat, _, figures_text = seat_text.strip().partition(" ")
        mark = ("▸", "bold") if seat in position.to_move else (" ", "")
        rows += [
            PaneRow(line)
            for line in wrap(
                [mark, (with_name(seat, position.names), seat_style(seat, position.colours)), (f" {figures_text}", "")],
                width,
            )
        ]
    return Pane(table.title.lower(), rows)


def ending_pane(model: TableModel, width: int, height: int) -> Pane:
    """The result and the turning points of a game. Clicking a turn looks back at it. Takes at most half the rows."""
    position, end, analysis = model.shown_position, model.end, model.end_analysis
    assert end, "it is shown when a game is over"
    result = [PaneRow(row) for line in result_lines(position, analysis) for row in wrap(line, width)]
    linked_lines = [
        (line, turn.last) for turn in turning_points(end, analysis) for line in turning_lines(position, end, turn)
    ]
    rows = [PaneRow(row, GoToCommit(last_number)) for line, last_number in linked_lines for row in wrap(line, width)]
    if len(rows) > height // 2 - len(result):
        rows = [PaneRow(clip(line, width), GoToCommit(last_number)) for line, last_number in linked_lines]
    return Pane("game over", [*result, *rows], least_rows=len(position.seats))


def turn_pane(position: Position, width: int) -> Pane:
    """The cards of your own hand, if hands are hidden, and the steps of this turn, done and open."""
    rows = [PaneRow(wrapped_line) for line in own_hand(position) for wrapped_line in wrap(line, width)]
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


def chances_pane(model: TableModel, width: int) -> Pane:
    """The chances to win up to the position on the screen, from cached judgements."""
    shown_number = model.shown_position.commit.number
    judged_turns = [each for each in model.judged_turns if each.last <= shown_number]
    chances_by_turn, name_width = [each.chances for each in judged_turns], min(max(width // 4, 1), MAX_NAME_COLUMNS)
    title = "chances to win" + (
        f" after move {judged_turns[-1].last}" if judged_turns and judged_turns[-1].last < shown_number else ""
    )
    return Pane(
        title,
        [
            PaneRow(line)
            for line in curve_lines(chances_by_turn, model.shown_position.colours, width - name_width - 7, name_width)
        ],
    )


def lesson_pane(lesson: Lesson, width: int, height: int) -> Pane:
    """The tutorial's text, in pages; after the last page the line to type."""
    prompt = [("type: ", "dim"), (lesson.line, "bold cyan"), ("  or press Enter", "dim")]
    prompt_lines = (
        [*wrap(prompt, width)] if lesson.line else [[("Escape closes this", "dim")]] if lesson.can_be_closed else []
    )
    pages = text_pages(lesson.explanation, width, max(height - 1 - len(prompt_lines), 1))
    lesson.page_count = len(pages)
    lesson.page = min(lesson.page, lesson.page_count - 1)
    closing_lines = [[("Enter: read on", "bold cyan")]] if lesson.page + 1 < lesson.page_count else prompt_lines
    return Pane(
        "practise" if lesson.is_exercise else "tutorial",
        [*map(PaneRow, pages[lesson.page]), *(PaneRow(line, TypeText(lesson.line)) for line in closing_lines)],
    )


def text_pages(paragraphs: Sequence[str], width: int, room: int) -> list[list[Line]]:
    """The lines of a text, page by page: a page ends with a sentence, unless one sentence fills more than a page."""
    pages: list[list[Line]] = [[]]
    for paragraph in paragraphs:
        earlier_lines, shown = pages[-1], ""
        for sentence in SENTENCE_END.split(paragraph):
            longer = f"{shown} {sentence}".lstrip()
            if len(earlier_lines) + len(text_lines(longer, width)) > room and (earlier_lines or shown):
                pages.append([])
                earlier_lines, longer = pages[-1], sentence
            shown, pages[-1] = longer, [*earlier_lines, *text_lines(longer, width)]
    return [page[start : start + room] for page in pages for start in range(0, max(len(page), 1), room)]


def text_lines(text: str, width: int) -> list[Line]:
    """A text of the tutorial in lines."""
    return [*wrap([(text, "green")], width, 0)]


def advice_pane(model: TableModel, width: int) -> Pane:
    """The best turns, as far as they have been judged. If programs may not help, commands with what they bring."""
    position, thought = model.shown_position, model.current_thought
    if thought:
        answer = thought.answer
        rows = [PaneRow(chance_bar({seat: each.chance for seat, each in answer.now.items()}, position.colours, width))]
        turns = [[*hint_rows(each, width)] for each in answer.hints]
        least_rows = 1 + sum(row.action is not None for row in turns[0]) if turns else 1
        enough_rows = 1 + sum(map(len, turns[:2]))
        rows += [row for turn_rows in turns for row in turn_rows]
        thinking = "" if thought.is_done else "thinking, "
        title = f"worth a look · {thinking}{numbered(answer.nodes, 'position')}"
        return Pane(title, rows, least_rows=least_rows, enough_rows=enough_rows)
    if model.is_judging and not model.earlier_position:
        return Pane("", ())
    may_play = bool(model.view.own_seats)
    offers = advice(position) if may_play and model.view.advises and is_advice_cached(position) else ()
    rows = [row for offer in offers for row in advice_rows(offer, width)]
    return Pane("by what it brings", rows, least_rows=min(len(rows), 1))


def hint_rows(hint: HintDocument, width: int) -> Iterator[PaneRow]:
    """A turn with the chance after it, and what it brings, in one row if all fits."""
    turn = "; ".join(hint.commands)
    for line in wrap([(f"{percent_text(hint.chance)} ", ""), (turn, "bold")], width):
        yield PaneRow(line, TypeText(turn))
    for line in wrap([(f"  {hint.why}", "")] if hint.why else [], width):
        yield PaneRow(line)


def chance_bar(chances: Mapping[Seat, float], colours: Mapping[Seat, str], width: int) -> Line:
    """A horizontal bar with each seat's chance to win as a section, with its letter and number, in % if all fit."""
    letter, sections = letters(colours), list[tuple[Seat, int]]()
    columns_left, chance_left = width, sum(chances.values()) or 1.0
    for seat, chance in chances.items():
        columns = round(columns_left * chance / chance_left) if chance_left > 0 else columns_left
        sections.append((seat, columns))
        columns_left, chance_left = columns_left - columns, chance_left - chance
    signs = {seat: letter.get(seat, seat[:1].upper()) for seat in chances}
    labels = {seat: f"{signs[seat]} {percent_text(chances[seat])}" for seat in chances}
    if any(len(labels[seat]) >= columns for seat, columns in sections):
        labels = {seat: f"{signs[seat]}{100 * chances[seat]:.0f}" for seat in chances}
    return [
        ((labels[seat] if len(labels[seat]) <= columns else "").center(columns), seat_style(seat, colours))
        for seat, columns in sections
    ]


def chances_text(chances: Mapping[Seat, float]) -> str:
    """What the bar between the board and the panes shows."""
    texts = (f"{seat.capitalize()} {percent_text(chance)}" for seat, chance in chances.items())
    return f"chances to win: {', '.join(texts)}"


def known_chances(model: TableModel) -> Mapping[Seat, float]:
    """Each seat's chance to win in the position on the screen, from the current or the cached judgement."""
    if model.current_thought:
        return {seat: each.chance for seat, each in model.current_thought.answer.now.items()}
    if not model.thinks or not model.view.helps:
        return {}
    shown_number = model.shown_position.commit.number
    judged_turn = next((each for each in reversed(model.view.judged_turns) if each.last == shown_number), None)
    return {seat: each.chance for seat, each in judged_turn.chances.items()} if judged_turn else {}


def upright_bar(chances: Mapping[Seat, float], colours: Mapping[Seat, str], height: int) -> Iterator[Span]:
    """A vertical bar with each seat's chance to win as a section, with its letter; a plain line if none are known."""
    signs, chance_left, rows_left = letters(colours), sum(chances.values()), height
    for seat, chance in chances.items():
        rows = round(rows_left * chance / chance_left) if chance_left > 0 else 0
        yield from (
            (signs.get(seat, seat[:1].upper()) if not row else "│", seat_style(seat, colours)) for row in range(rows)
        )
        rows_left, chance_left = rows_left - rows, chance_left - chance
    yield from (("│", "class:table.title") for _ in range(rows_left))


def advice_rows(advised_command: Advice, width: int) -> Iterator[PaneRow]:
    """A command and what it brings, in one row if both fit."""
    gains_text = ", ".join(advised_command.brings)
    for line in wrap([(advised_command.text, "bold"), (f"  {gains_text}" if gains_text else "", "")], width):
        yield PaneRow(line, TypeText(advised_command.text))


def table_panes(position: Position, width: int) -> Iterator[Pane]:
    """The game's other tables."""
    for table in position.tables[1:]:
        if table.rows:
            yield Pane(table.title.lower(), table_rows(table, position, width), least_rows=0)


def table_rows(table: Table, position: Position, width: int) -> list[PaneRow]:
    """A table as rows. Its headings have their meanings."""
    rows = [PaneRow(line) for line in table_lines(table, position.colours, width, keeps_columns=False)]
    headings_text = plain_row(rows[0].line) if rows else ""
    end, meanings = 0, list[tuple[int, str]]()
    for heading in table.heads:
        start = headings_text.find(heading, end)
        if start < 0:
            break
        meaning = position.game.display.HEADINGS.get(heading, "")
        meanings.append((end, f"{heading}: {meaning}" if meaning else ""))
        end = start + len(heading)
    if meanings and rows[0].line[0][1] == "dim":
        rows[0] = rows[0]._replace(action=Headings(tuple(meanings)))
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
    rows = [PaneRow(line) for line in lines_of(model.inspection_blocks, width, keeps_columns=False)]
    return Pane(model.cursor, rows, least_rows=1)


def log_rows(model: TableModel, width: int, height: int) -> list[PaneRow]:
    """The last moves, or the moves around the one on the screen."""
    view, shown_number = model.view, model.shown_position.commit.number
    entry_lists: tuple[Sequence[Commit | Remark], ...] = (view.commits, view.discussion.talk)
    entries = [*merge(*entry_lists, key=lambda each: each.at)]
    end_index = len(entries)
    if model.earlier_position:
        index = next(
            (
                index
                for index, entry in enumerate(entries)
                if isinstance(entry, Commit) and entry.number == shown_number
            ),
            0,
        )
        end_index = min(max(index + height // 2, height), end_index)
    visible_entries = entries[max(end_index - height, 0) : end_index] if height > 0 else []
    rows = [row for entry in visible_entries for row in log_entry(entry, model, width)]
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
    return (
        head.names.get(seat, seat) if width >= MIN_TABLE_COLUMNS else letters(head.colours).get(seat, seat[:1].upper())
    )


def log_line(commit: Commit, model: TableModel, width: int) -> Line:
    """A move in one row."""
    is_shown = bool(model.earlier_position) and commit.number == model.shown_position.commit.number
    colour = seat_style(commit.seat, model.head.colours) if commit.seat else "dim"
    name = f" {author_text(commit.seat, model.head, width)}" if commit.seat else ""
    line: Line = [(f"{commit.number:>4}{name}", colour), (f" {commit.text}", "bold reverse" if is_shown else "")]
    judged_turn = next((each for each in model.judged_turns if each.last == commit.number), None)
    if judged_turn and width >= MIN_TABLE_COLUMNS:
        line.append((f"  {percent_text(judged_turn.chances[judged_turn.seat].chance)}", "dim"))
        line.append((f" {MARKS[judged_turn.word]}" if judged_turn.word else "", "yellow"))
    if commit.summary:
        line.append((f"  {commit.summary}", "dim"))
    return clip(line, width)
