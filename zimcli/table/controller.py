"""The controller of the table: connects the keys, the service and the screen.

The screen depends only on the `TableModel` and the typed line. Slow work happens in three other threads. The
`ServiceThread` runs lines. The suggestion pool works out what can be typed and what that would change; the judging pool
judges the head and a finished game. They read a position or a `LineView`, never the service.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from prompt_toolkit.application import Application, in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.utils import get_cwidth

from zimcli.output.errors import problem_of
from zimcli.render.moves import move_lines
from zimcli.render.problems import problem_lines
from zimcli.render.remarks import remark_line, seat_line
from zimcli.render.spans import Block
from zimcli.repl.key_actions import ACTIONS, key_names
from zimcli.repl.loop import load_history
from zimcli.repl.style import shows_suggestions
from zimcli.repl.suggestion import HistorySuggester
from zimcli.session.session import Session
from zimcli.settings.config import Config
from zimcli.shell.registry import LEAVE_WORDS, SESSION_ENTRIES
from zimcli.shell.typed_words import names_a_place
from zimcli.study.game_end import EndAnalysis, analyses, next_steps
from zimcli.table.menu import Menu
from zimcli.table.model import LineView, Pager, TableModel
from zimcli.table.preview import preview
from zimcli.table.screen import TableContainer
from zimcli.table.service_thread import InputResult, ServiceThread
from zimcli.table.teacher import Teacher
from zimcli.table.text import lines_of
from zimcli.table.thought import Judge, may_see_judgement
from zimcore.candidates import advice, candidates, is_cached
from zimcore.commits import Position
from zimcore.documents.positions import commit_documents
from zimcore.game import Seat

WorkResult = TypeVar("WorkResult")

POLL_SECONDS = 0.25
"""Seconds between checks for other players' moves."""
PATIENCE_SECONDS = 0.2
"""Seconds before the header says that a line is still running."""
KEYS_WORD = "keys"
"""A word that people type for the list of keys."""
MAX_ROWS = 3
"""The most rows of the input line: pasted lines, or one long line."""


class TableController:
    """The controller of the table: turns keys and news into changes of the model."""

    app: Application[None]
    screen: TableContainer
    show_keys: Callable[[], None]
    """`app.build` sets these three. `app` and `screen` call this object at each key; it asks them to redraw."""

    def __init__(self, session: Session, config: Config) -> None:
        self.session = session
        self.config = config
        self.keys = {name: key_names(getattr(config.table, name)) for name in ACTIONS}
        self.service_thread = ServiceThread(session, self.show_progress)
        self.suggestion_pool = ThreadPoolExecutor(1, "zim-suggestion")
        self.judging_pool = ThreadPoolExecutor(1, "zim-judging")
        self.idle = Event()
        self.idle.set()
        self.is_leaving = False
        self.model = TableModel(self.service_thread.executor.submit(self.service_thread.read_view).result())
        self.model.thinks = config.thinking
        self.histories: dict[Seat, History] = {}
        self.task_lock = asyncio.Lock()
        self.pending_tasks = 0
        self.farewell: list[Block] = []
        self.awaits_first_screen = False
        self.awaits_confirmation = False
        self.unconfirmed_line = ""
        """The line that waits for a confirmation, as long as the typed text may still become it."""
        self.suggester = HistorySuggester(session)
        self.buffer = Buffer(
            history=load_history(), multiline=False, accept_handler=self.on_enter, on_text_changed=self.on_typed
        )
        self.buffer.on_cursor_position_changed += self.on_cursor_moved
        self.menu = Menu(session, self.model, self.buffer, self.keys)
        self.teacher = Teacher(session, self.model, self.run_lines, self.show_answer)

    @property
    def theme(self) -> str:
        """The user's theme; `plain` if the terminal shows no colours."""
        return self.config.theme if self.service_thread.shell_output.uses_colour(sys.stdout) else "plain"

    def run_app(self) -> None:
        """Runs the application, then closes the threads."""
        try:
            self.app.run(pre_run=self.start_table)
        finally:
            self.is_leaving = True
            self.idle.set()
            self.service_thread.close()
            self.suggestion_pool.shutdown(cancel_futures=True)
            self.judging_pool.shutdown(cancel_futures=True)

    def start_table(self) -> None:
        """Draws the table, and starts the task that follows other players. Work for the view waits for the screen."""
        self.awaits_first_screen = True
        self.app.after_render += self.on_first_screen
        self.show_view(self.model.view)
        self.app.create_background_task(self.show_others_moves())

    def on_first_screen(self, _: object) -> None:
        """Starts the work that would have delayed the first screen."""
        self.app.after_render -= self.on_first_screen
        self.awaits_first_screen = False
        gc.freeze()  # what was imported stays
        gc.enable()
        _ = self.model.head.game.chances  # not in the threads: two that import one package can deadlock
        self.start_work()

    # What is typed

    def prompt(self) -> str:
        """The text before the input line."""
        view = self.model.view
        if self.awaits_confirmation:
            return "Enter again does it > "
        if view.next_at_keyboard and view.previous_player_is_there:
            return "Enter or Space when you have seen what your move did > "
        return "Enter, Space or a click when nobody else can see the screen > " if view.next_at_keyboard else " > "

    def line_rows(self) -> int:
        """The rows of the input line: several for pasted lines, or for one that is longer than the screen is wide."""
        columns = self.app.output.get_size().columns
        widths = [get_cwidth(line) for line in self.buffer.document.lines]
        widths[0] += get_cwidth(self.prompt())
        return min(sum(1 + width // columns for width in widths), MAX_ROWS)  # the cursor may follow the last letter

    def on_typed(self, _: object) -> None:
        """After each change of the text: updates the suggestion and the advice."""
        document, self.model.pointer_line = self.buffer.document, []
        if document.text and self.model.focus == "board":  # Enter runs what is typed; it picks no square
            self.model.focus = "line"
        may_suggest = shows_suggestions(self.config) and is_cached(self.model.head)
        self.buffer.suggestion = self.suggester.get_suggestion(self.buffer, document) if may_suggest else None
        self.prepare_suggestions()

    def on_cursor_moved(self, _: object) -> None:
        """When the cursor moves, as after each edit: cancels a pending confirmation, unless its line is retyped."""
        self.awaits_confirmation = False
        if self.unconfirmed_line and not (self.buffer.text and self.unconfirmed_line.startswith(self.buffer.text)):
            self.unconfirmed_line = ""
            self.session.forget_question()

    def on_enter(self, _: Buffer) -> bool:
        """Runs the lines. Returns whether the text stays in the input."""
        model, self.awaits_confirmation, self.unconfirmed_line = self.model, False, ""
        lines = self.buffer.text.splitlines()
        if self.is_busy and not self.buffer.text.strip():
            return False  # an extra Enter must not show the next player's hand
        if (
            model.view.next_at_keyboard
            and not (model.view.previous_player_is_there and self.buffer.text.strip())
            and lines[:1] != [LEAVE_WORDS[0]]
        ):
            self.start_task(self.hand_over_keyboard())
            return False
        if model.earlier_position and lines and not is_independent_of_board(lines[0]):
            # Lines are played at the head. A player must see that board first.
            model.earlier_position, model.focus = None, "line"
            self.show_answer([[("back at the head: Enter plays it there", "bold yellow")]])
            return True
        lesson = model.lesson
        self.start_task(
            self.teacher.handle_lines(lesson, lines)
            if lesson and not (lesson.is_over and lines)
            else self.run_lines(lines)
        )
        return False

    # What is done

    @property
    def is_busy(self) -> bool:
        """Whether a task is running, or is to run."""
        return self.pending_tasks > 0

    def start_task(self, task: Awaitable[object]) -> None:
        """Starts a task in the background, after those already started. From now on it can be stopped."""
        if not self.is_busy:
            self.service_thread.allow()
        self.pending_tasks += 1
        self.app.create_background_task(self.run_in_turn(task))

    async def run_in_turn(self, task: Awaitable[object]) -> None:
        """Waits for the tasks before it, runs this one, and shows its error."""
        try:
            async with self.task_lock:
                self.idle.clear()  # background analysis pauses
                try:
                    await task
                except Exception as error:
                    self.show_answer(list(problem_lines(problem_of(error))))
                finally:
                    self.idle.set()
                    self.model.busy_text = ""
                    self.redraw()
        finally:
            self.pending_tasks -= 1

    async def run_on_service_thread(self, work: Callable[..., WorkResult], *arguments: object) -> WorkResult:
        """Calls a function on the service thread."""
        return await asyncio.get_running_loop().run_in_executor(self.service_thread.executor, work, *arguments)

    async def run_lines(self, lines: list[str]) -> bool:
        """Runs lines one after the other, and puts those that did not run back into the line.

        Returns whether all succeeded.
        """
        model = self.model
        model.answer, model.pager = (), None
        for index, typed_line in enumerate(lines):
            if not typed_line.strip():
                continue
            if typed_line.strip() == KEYS_WORD and not self.means_something_else(KEYS_WORD):
                self.show_keys()
                continue
            if names_a_place(typed_line.strip()):
                await self.show_position(typed_line.strip())
                continue
            self.session.advised_commands = model.advised_commands(typed_line)
            progress_timer = asyncio.get_running_loop().call_later(
                PATIENCE_SECONDS, self.show_progress, "working, Ctrl-C stops"
            )
            try:
                result = await (
                    self.run_in_terminal(typed_line)
                    if reads_terminal(typed_line)
                    else self.run_on_service_thread(self.service_thread.run_typed_line, typed_line, model.head)
                )
            finally:
                progress_timer.cancel()
                model.busy_text = ""
            self.show_result(result)
            if result.ends_table:
                self.farewell = result.blocks
                self.app.exit()
                return False
            if result.has_failed:
                self.put_lines_back(lines[index:] if result.offers_again else lines[index + 1 :])
                self.awaits_confirmation, self.unconfirmed_line = (
                    result.offers_again,
                    typed_line if result.offers_again else "",
                )
                return False
            if result.view.next_at_keyboard:
                self.put_lines_back(lines[index + 1 :])
                return False
        return True

    def means_something_else(self, word: str) -> bool:
        """Whether a word is an alias of the user or a command of the game."""
        return word in self.config.aliases or word in self.model.head.game.notation.SYNTAX

    async def run_in_terminal(self, line: str) -> InputResult:
        """Runs a line that reads from the terminal itself. The table is hidden meanwhile."""
        async with in_terminal():
            return await self.run_on_service_thread(self.service_thread.run_in_terminal, line)

    def put_lines_back(self, lines: list[str]) -> None:
        """Puts lines back into the input, if nothing was typed since."""
        if lines and not self.buffer.text:
            self.buffer.set_document(Document("\n".join(lines)), bypass_readonly=True)

    def show_result(self, result: InputResult) -> None:
        """Shows the result of a line."""
        model, match_before, was_over = self.model, self.model.head.match, self.model.view.end is not None
        seat_blocks = self.seat_lines(result.view, self.model.view)  # before the view is replaced
        self.show_view(result.view)
        if result.board and result.board.position.number == model.head.commit.number:
            model.overlay, model.earlier_position = result.board.overlay, None
        elif result.board:
            self.start_task(self.show_position(f"@{result.board.position.number}", result.board.overlay))
        if result.lesson:
            self.teacher.begin_lesson(result.lesson)
        elif model.head.match != match_before:
            model.lesson = None
        keeps_board = result.board or (model.end and not was_over)  # the board must stay visible
        self.show_answer(
            [*result.blocks, *seat_blocks],
            result.typed_line,
            stays_below=bool(keeps_board),
            shows_moves=not result.covers_board,
        )

    def show_answer(
        self, blocks: list[Block], title: str = "", *, stays_below: bool = False, shows_moves: bool = False
    ) -> None:
        """Shows an answer below the line, or in the pager if it has a title and is too long for that.

        An answer that `stays_below` is cut to fit. One that `shows_moves` shows the end of its blocks.
        """
        model, layout = self.model, self.screen.layout
        model.answer, model.pointer_line = blocks, []
        model.last_pager = Pager(title, blocks) if blocks else model.last_pager
        is_problem = bool(blocks) and self.is_problem(blocks)
        model.shows_end = shows_moves and not is_problem
        if layout and blocks and title and not (stays_below or shows_moves or is_problem):
            lines = list(lines_of(blocks, layout.answer.width))
            if len(lines) > max(layout.answer.height, 1):
                model.pager, model.answer = Pager(title, blocks), ()
        self.redraw()

    @staticmethod
    def is_problem(blocks: list[Block]) -> bool:
        """Whether the blocks are only an error. It is shown below the line, so that the board stays visible."""
        first_block = blocks[0]
        return isinstance(first_block, list) and bool(first_block) and first_block[0][1] == "bold red"

    def show_view(self, view: LineView) -> None:
        """Shows a new view of the line, and starts the work that depends on it."""
        self.model.update_view(view)
        self.model.seat = self.session.seat or view.only_person
        self.menu.lines, self.menu.marks = view.lines, view.marks
        self.redraw()
        if not self.awaits_first_screen:
            self.start_work()

    def start_work(self) -> None:
        """Starts the work that depends on the view: suggestions, and what a program thinks of it."""
        self.prepare_suggestions()
        self.judge_head()
        self.analyse_end()

    def prepare_suggestions(self) -> None:
        """Starts work on the index of candidates, the advice and the preview of what is typed, unless they are done."""
        position, beginning = self.model.head, self.menu.typed_text
        if self.model.view.next_at_keyboard or not position.to_move:
            return

        def prepare() -> None:
            if position is self.model.head:
                candidates(position)
                self.app.invalidate()
                advice(position)
                if beginning.strip() and beginning == self.menu.typed_text:
                    advice(position, beginning)
                self.model.version += 1
                self.app.invalidate()

        if not self.menu.is_complete():
            self.suggestion_pool.submit(prepare)
        self.suggestion_pool.submit(self.update_preview, position, self.buffer.text)

    def update_preview(self, position: Position, line: str) -> None:
        """Works out the preview of the typed line."""
        if position is self.model.head and line == self.buffer.text and line.strip():
            self.model.preview_cache = line, position, preview(position, line)
            self.redraw()

    def judge_head(self) -> None:
        """Starts to judge the head, unless that is done or running."""
        model, view = self.model, self.model.view
        if not self.config.thinking or not may_see_judgement(view, self.session.seat):
            model.is_judging = False
            return
        if model.thought and model.thought.head is view.head:
            return
        judge = Judge(lambda: view.head is self.model.head and not self.is_leaving, self.idle.wait)

        def run_judge() -> None:
            if not judge.goes_on():
                return
            for thought in judge.thoughts(view):
                model.thought = thought
                self.redraw()
            if judge.goes_on():
                model.is_judging = False
                self.redraw()

        if not self.is_leaving:
            model.is_judging = True
            self.judging_pool.submit(run_judge)

    def analyse_end(self) -> None:
        """Offers next steps for a finished game, and starts its analysis unless that is done or running."""
        model, view = self.model, self.model.view
        self.offer_next_steps()
        digest = view.head.commit.digest
        if not self.config.thinking or view.end is None or not view.end.allows_help:
            return
        is_outdated = model.end_analysis.why_none and view.judged_turns  # meanwhile it was analysed with all cards open
        if (model.analysis_cache[0] == digest and not is_outdated) or self.is_leaving:
            return
        model.analysis_cache = digest, EndAnalysis(view.judged_turns)

        def may_continue() -> bool:
            return digest == self.model.head.commit.digest and not self.is_leaving

        def analyse() -> None:
            for analysis in analyses(view.head.game, view.commits, may_continue, self.idle.wait):
                if may_continue():
                    model.analysis_cache = digest, analysis
                    self.offer_next_steps()
                    self.redraw()
            if not may_continue() and model.analysis_cache[0] == digest and not model.end_analysis.is_done:
                model.analysis_cache = "", EndAnalysis()  # it resumes when the user returns to this game

        self.judging_pool.submit(analyse)

    def offer_next_steps(self) -> None:
        """Updates the next steps after a finished game."""
        model, end = self.model, self.model.view.end
        analysis = model.end_analysis
        model.next_steps = next_steps(end, model.head, analysis, is_thinking_on=self.config.thinking) if end else ()

    async def show_position(self, place: str, overlay: object = None) -> None:
        """Looks back at a position of the line."""
        position = await self.run_on_service_thread(self.service_thread.position_at, place)
        model = self.model
        if position.place != model.head.place:
            self.show_answer([[(f"{place} is on another line: play {position.place}", "bold yellow")]])
            return
        model.earlier_position = None if position.commit.digest == model.head.commit.digest else position
        model.overlay = overlay  # type: ignore[assignment]
        self.redraw()

    async def step_through_moves(self, count: int) -> None:
        """Looks `count` moves forward, or back if negative."""
        number = self.model.shown_position.commit.number + count
        if 0 <= number <= self.model.head.commit.number and not self.model.view.next_at_keyboard:
            await self.show_position(f"@{number}")

    async def hand_over_keyboard(self) -> None:
        """Passes the keyboard to the next player: first hides everything, then, at the next call, shows their hand."""
        hides_hands = self.model.view.previous_player_is_there
        view = await self.run_on_service_thread(
            self.service_thread.hide_hands if hides_hands else self.service_thread.show_next_hand
        )
        self.model.update_view(view)
        self.model.reset()
        seat = "" if hides_hands else self.session.viewer.seat or ""
        self.buffer.history = self.histories.setdefault(seat, InMemoryHistory())
        self.buffer.reset()
        self.app.renderer.clear()
        self.show_view(view)

    async def show_others_moves(self) -> None:
        """Shows other players' moves as they happen. Runs until the table is closed."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if self.is_busy:
                continue
            try:
                view = await self.run_on_service_thread(self.service_thread.read_news)
                connection_warning = await self.run_on_service_thread(self.service_thread.connection_warning)
            except Exception as error:  # the store can't be reached for a while: show that, and try again
                self.model.warning = [(problem_of(error).what, "bold red")]
                self.redraw()
                await asyncio.sleep(POLL_SECONDS * 8)
                continue
            if self.model.view.clocks:
                self.redraw()  # the clocks tick
            if self.model.warning or connection_warning:
                self.model.warning = [(connection_warning, "bold yellow")] if connection_warning else []
                self.redraw()
            if view:
                self.show_news(view)

    def show_news(self, view: LineView) -> None:
        """Shows what other players have played, written or asked for. Focus and typed text stay."""
        view_before = self.model.view
        seen_number, has_moved = (
            view_before.head.commit.number,
            view_before.head.commit.digest != view.head.commit.digest,
        )
        new_commits = [commit for commit in view.commits if commit.number > seen_number]
        new_discussion = view.discussion.changes_since(view_before.discussion)
        self.show_view(view)
        head_note = "" if new_commits else f" the head was moved to @{view.head.commit.number}"
        blocks: list[Block] = [[(f"meanwhile:{head_note}", "bold yellow")]] if has_moved else []
        blocks = [[(view.note, "bold yellow")]] if view.note else blocks
        blocks += [*move_lines(commit_documents(new_commits), view.head), *map(remark_line, new_discussion.talk)]
        blocks += [line for told in new_discussion.told for line in told.lines]
        blocks += self.seat_lines(view, view_before)
        if blocks and (not view.next_at_keyboard or view.previous_player_is_there):
            self.model.answer = blocks
            self.model.last_pager = Pager("meanwhile", blocks)
        seat = self.session.seat
        is_asked = bool({each.subject for each in view.waiting} - {each.subject for each in view_before.waiting})
        if self.config.bell and (is_asked or (has_moved and (seat is None or seat in view.head.to_move))):
            self.app.output.bell()
        self.redraw()

    def seat_lines(self, view: LineView, view_before: LineView) -> list[Block]:
        """Who else has taken or left a seat between two views of one game."""
        if view.head.match != view_before.head.match:
            return []
        return [
            seat_line(*seat_change)
            for seat_change in view.discussion.changed_seats(view_before.discussion, self.session.by)
        ]

    def show_progress(self, text: str) -> None:
        """Shows the progress of a task. May be called from any thread."""
        self.model.busy_text = text
        self.redraw()

    def redraw(self) -> None:
        """Requests a redraw. May be called from any thread."""
        self.model.version += 1
        self.app.invalidate()


def reads_terminal(line: str) -> bool:
    """Whether a line reads from the terminal itself, which the table can't do."""
    return line.split()[:2] == ["run", "-"]


def is_independent_of_board(line: str) -> bool:
    """Whether a line does not depend on the board on the screen: a command of Zim, a place, a question, or nothing."""
    first_words = line.split()[:1]
    return (
        not first_words
        or first_words[0] in SESSION_ENTRIES
        or first_words[0] in LEAVE_WORDS
        or first_words[0].startswith("?")
        or names_a_place(first_words[0])
    )
