"""The loop of the prompt: reads a line, runs it, shows the answer, until the user leaves."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, run_in_terminal
from prompt_toolkit.auto_suggest import ThreadedAutoSuggest
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from zimcli.output.errors import problem_of, show_error
from zimcli.render.moves import move_lines
from zimcli.render.remarks import remark_line, seat_line
from zimcli.render.spans import Line
from zimcli.repl.completion import ZimCompleter
from zimcli.repl.hot_seat import hand_over_keyboard
from zimcli.repl.key_actions import key_names, with_usable_keys
from zimcli.repl.key_bindings import make_bindings
from zimcli.repl.status_bar import StatusBar
from zimcli.repl.style import shows_suggestions, terminal_color_depth, theme_style
from zimcli.repl.suggestion import HistorySuggester
from zimcli.session.analysis_cache import known_judgements
from zimcli.session.bot_moves import PatientDriver
from zimcli.session.current_place import follow_current_line
from zimcli.session.locations import history_file
from zimcli.session.seen_discussion import SeenDiscussion, read_discussion
from zimcli.session.session import LeaveError, Session
from zimcli.settings.config import Config, load_config
from zimcli.settings.config_file import config_file
from zimcli.settings.hooks import run_hooks
from zimcli.shell.exit_codes import CONFLICT, UnsureError
from zimcli.shell.registry import BOARD
from zimcli.study.game_end import EndAnalysis, analyses, game_end, next_steps
from zimcli.study.game_end_blocks import end_blocks
from zimcore.commits import Commit, Position
from zimcore.documents.positions import commit_documents
from zimcore.documents.problems import Problem
from zimcore.game import GameError, Seat
from zimcore.service import ConflictError, DamagedError, StoreError

POLL_SECONDS = 0.25
"""Seconds between checks for other players' moves while a line is typed."""

READ_ERRORS = (GameError, StoreError, DamagedError, ConflictError)
"""The errors of reading a line that was changed meanwhile, or a store that can't be read."""

AskLine = Callable[[str], str]
"""Asks for lines. Its argument is text that is already in the line, to be edited."""


def run_prompt(session: Session, config: Config) -> None:
    """Asks for lines until Ctrl-D or `quit`. A line that fails shows its error; the loop goes on."""
    config, key_error = with_usable_keys(config)
    if key_error:
        session.output.show_problem(problem_of(key_error))
    conversation = Conversation(session, analyses_finished_games=config.thinking)
    prompt = make_prompt(session, config, conversation)
    session.set_output(pager=True)
    session.show_blocks([(f"Tab completes, ? explains, {key_names(config.table.hint)} hints, Ctrl-D leaves.", "dim")])
    try:
        while conversation.run_prompt_once(prompt):
            current_config, problem = load_settings()
            current_config, key_error = with_usable_keys(current_config)
            if (
                current_config != config and problem is None and key_error is None
            ):  # changed by `config`, in this session or another
                prompt, config = make_prompt(session, current_config, conversation), current_config
    finally:
        conversation.end_news.close()


def load_settings() -> tuple[Config, Problem | None]:
    """The user's settings, and None; if they can't be read, the defaults and the problem."""
    try:
        return load_config(config_file()), None
    except (GameError, OSError) as error:
        return Config(), problem_of(error)


def make_prompt(session: Session, config: Config, conversation: Conversation | None = None) -> AskLine:
    """The function that asks for a line in the terminal, with the user's settings.

    With a conversation, it shows other players' moves while it waits.
    """
    status_bar, completer = StatusBar(session), ZimCompleter(session)
    prompt: PromptSession[str] = PromptSession(
        message=status_bar.prompt,
        bottom_toolbar=status_bar.toolbar if config.toolbar else None,
        completer=completer,
        complete_in_thread=True,  # listing the legal commands may take long, and must not block typing
        complete_while_typing=config.complete_while_typing,
        auto_suggest=ThreadedAutoSuggest(HistorySuggester(session)) if shows_suggestions(config) else None,
        history=load_history(),
        # prompt_toolkit can't do both: completing while typing and searching the history by its beginning.
        enable_history_search=not config.complete_while_typing,
        vi_mode=config.keys == "vi",
        style=theme_style(config.theme),
        color_depth=terminal_color_depth(),
        key_bindings=make_bindings(session, completer, lambda line: try_line(session, line), config.table.hint),
    )

    histories = dict[Seat, History]()

    def ask_line(beginning: str) -> str:
        with suppress(*READ_ERRORS):  # the question is asked all the same, and the line's error is shown
            status_bar.refresh()
            completer.refresh()  # here, because the completer runs in a thread that may not use the service
        if session.current and session.current.game.secrets and session.viewer.seat and not session.seat:
            # The next player must not find lines that reveal another hand.
            prompt.default_buffer.history = histories.setdefault(session.viewer.seat, InMemoryHistory())
        if config.board:
            draw_at_round_start(session)
        return prompt.prompt(default=beginning, pre_run=start_news)

    def start_news() -> None:
        if conversation:
            prompt.app.create_background_task(show_news_while_typing(conversation, status_bar, completer))

    return ask_line


async def show_news_while_typing(conversation: Conversation, status_bar: StatusBar, completer: ZimCompleter) -> None:
    """Shows other players' moves and messages above the prompt while a line is typed. Runs on the session's thread."""
    shown_text = status_bar.toolbar()
    with suppress(*READ_ERRORS):  # the next prompt shows the error
        while True:
            await asyncio.sleep(POLL_SECONDS)
            is_programs_turn = conversation.driver.is_due(conversation.session)
            if is_programs_turn or conversation.is_behind():
                await run_in_terminal(conversation.let_programs_move if is_programs_turn else conversation.show_news)
                status_bar.refresh()
                completer.refresh()
            # The toolbar shows the clocks and the connection. Redraw it only on a change, or the cursor flickers.
            if (current_text := status_bar.toolbar()) != shown_text:
                shown_text = current_text
                get_app().invalidate()


class Conversation:
    """Reads and runs lines, prompt after prompt. Lines that did not run are offered again at the next prompt."""

    def __init__(self, session: Session, *, analyses_finished_games: bool = False) -> None:
        self.session = session
        self.pending_text = ""
        self.shown_error = ""
        self.driver = PatientDriver()
        self.end_news = EndNews(analyses_finished_games=analyses_finished_games)
        self.discussion_news = DiscussionNews()

    def run_prompt_once(self, ask_line: AskLine) -> bool:
        """Runs one prompt, which may return several pasted lines. Returns whether to go on."""
        lines: list[str] = []
        try:
            self.prepare_question()
            beginning, self.pending_text = self.pending_text, ""
            lines = ask_line(beginning).splitlines()
            while lines:
                if note := follow_current_line(self.session):
                    self.session.show_note(f"{note}; nothing was played")
                    self.keep_pending_lines(lines, keeps_failed_line=self.session.current is not None)
                    return True
                run_line(self.session, lines[0])
                del lines[0]  # only now: a line that fails still counts as not run
        except (EOFError, LeaveError):
            return False
        except (KeyboardInterrupt, click.Abort):
            return True
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.EIO and not lines:
                return False  # the terminal is gone: nobody could answer the next question
            exit_code = show_error(error, self.session.output)
            self.keep_pending_lines(lines, keeps_failed_line=exit_code == CONFLICT or isinstance(error, UnsureError))
        return True

    def prepare_question(self) -> None:
        """Shows what is new, and lets the next player come to the keyboard.

        An error is shown once, and then the question is asked all the same: otherwise nothing would get out of it.
        """
        try:
            if note := follow_current_line(self.session):
                self.session.show_note(note)
            # First show others' moves: they decide whose turn it is, and so which player must come to the keyboard.
            self.show_news()
            self.let_programs_move()
            hand_over_keyboard(self.session)
            # While it waited for the next player, the game may have ended.
            self.end_news.show_news(self.session)
        except READ_ERRORS as error:
            if str(error) != self.shown_error:
                show_error(error, self.session.output)
            self.shown_error = str(error)
        else:
            self.shown_error = ""

    def let_programs_move(self) -> None:
        """Lets the programs move that are to move, and shows what they played."""
        positions = self.driver.let_programs_move(self.session) if self.session.current else ()
        if positions:
            commits = commit_documents(position.commit for position in positions)
            self.session.show_blocks(*move_lines(commits, positions[-1]))

    def is_behind(self) -> bool:
        """Whether other players have moved, or written, since the last update."""
        session = self.session
        if self.end_news.is_behind(session):
            return True
        if session.current is None or not session.service.may_have_changed(session.place):
            return False
        current_position = session.position(session.place)
        return current_position.commit.digest != session.current.commit.digest or self.discussion_news.is_behind(
            session
        )

    def show_news(self) -> None:
        """Shows what other players have played and written since."""
        show_new_moves(self.session)
        self.discussion_news.show_news(self.session)
        self.end_news.show_news(self.session)

    def keep_pending_lines(self, lines: list[str], keeps_failed_line: bool) -> None:
        """Keeps lines for the next prompt: those after the failed one, and with `keeps_failed_line` the failed one too.

        A refused line would be refused again. One that came too late, or needs a confirmation, may still be wanted.
        """
        self.pending_text = "\n".join(lines if keeps_failed_line else lines[1:])


def run_line(session: Session, line: str) -> None:
    """Runs a line that was typed at the prompt."""
    session.level = 1  # answers then suggest lines of a session, not of the shell
    try:
        session.run_line(line)
    finally:
        session.level = 0


def try_line(session: Session, line: str) -> None:
    """Runs a line, and shows its error if it fails."""
    try:
        run_line(session, line)
    except Exception as error:
        show_error(error, session.output)


def draw_at_round_start(session: Session) -> None:
    """Draws the board if the position is the start of a round or a turn."""
    if session.current and session.current.commit.marks:
        try_line(session, BOARD.name)


def show_new_moves(session: Session) -> None:
    """Shows what other players have played on this line since the session last saw it."""
    if session.current is None:
        return
    seen_commit, current_position = session.current.commit, session.position(session.place)
    if current_position.commit.digest == seen_commit.digest:
        return
    session.enter_position(current_position)
    run_hooks(current_position, session.show_note)
    new_commits = [commit for commit in session.log(session.place) if commit.number > seen_commit.number]
    head_note = "" if new_commits else f" the head was moved to @{current_position.commit.number}"
    session.show_blocks(
        [(f"meanwhile:{head_note}", "bold yellow")], *move_lines(commit_documents(new_commits), current_position)
    )


class DiscussionNews:
    """The discussion of the current game as far as it was shown."""

    def __init__(self) -> None:
        self.match = ""
        self.discussion = SeenDiscussion()
        self.revision = -1

    def is_behind(self, session: Session) -> bool:
        """Whether the discussion of the game that was shown last has changed."""
        position = session.current
        return bool(position and position.match == self.match) and (
            self.revision != _discussion_revision(session, self.match)
            or self.discussion.players != session.service.players(self.match)
        )

    def show_news(self, session: Session) -> None:
        """Shows what is new. When you enter a game, that is only what waits for an answer."""
        if session.current is None:
            return
        self.revision = _discussion_revision(session, session.current.match)
        discussion = read_discussion(session)
        is_same_match = session.current.match == self.match
        news = (
            discussion.changes_since(self.discussion)
            if is_same_match
            else SeenDiscussion((), discussion.waiting(session.seat))
        )
        changed_seats = [*discussion.changed_seats(self.discussion, session.by)] if is_same_match else []
        self.match, self.discussion = session.current.match, discussion
        news_lines: list[Line] = [remark_line(remark) for remark in news.talk if remark.by != session.by]
        news_lines += [line for told in news.told if not told.is_own for line in told.lines]
        news_lines += [seat_line(*seat_change) for seat_change in changed_seats]
        if news_lines:
            session.show_blocks(*news_lines)


class EndNews:
    """What was shown of the end of the current game. Its analysis runs in a thread."""

    def __init__(self, *, analyses_finished_games: bool) -> None:
        self.analyses_finished_games = analyses_finished_games
        self.digest = ""
        self.shown_analysis = self.current_analysis = EndAnalysis()
        self.is_closed = False

    def is_behind(self, session: Session) -> bool:
        """Whether there is more to show: the game has ended, or its analysis is done."""
        position = session.current
        return bool(position and position.outcome.over) and (
            self.digest != self._head_digest(position) or self.shown_analysis != self._finished_analysis()
        )

    def show_news(self, session: Session) -> None:
        """Shows the end of the game once, and again when the analysis is done."""
        end, position = game_end(session), session.current
        if end is None or position is None or session.output.json:
            return
        if self.digest != self._head_digest(position):
            self.digest, self.current_analysis = self._head_digest(position), EndAnalysis()
            commits = session.log(position.place)
            judgements = known_judgements(session, position.game, position.place, commits)
            if end.allows_help and (judgements or self.analyses_finished_games):
                self._begin_analysis(position, commits)
            self.shown_analysis = EndAnalysis()
        elif self.shown_analysis == self._finished_analysis():
            return
        else:
            self.shown_analysis = self._finished_analysis()
        steps = next_steps(end, position, self.shown_analysis, is_thinking_on=self.analyses_finished_games)
        session.show_blocks(*end_blocks(position, end, self.shown_analysis, steps))

    def close(self) -> None:
        """Stops the analysis."""
        self.is_closed = True

    def _finished_analysis(self) -> EndAnalysis:
        return self.current_analysis if self.current_analysis.is_done else EndAnalysis()

    @staticmethod
    def _head_digest(position: Position | None) -> str:
        return position.commit.digest if position else ""

    def _begin_analysis(self, position: Position, commits: Sequence[Commit]) -> None:
        digest = position.commit.digest

        def may_continue() -> bool:
            return digest == self.digest and not self.is_closed

        def analyse_to_end() -> None:
            for analysis in analyses(position.game, commits, may_continue):
                if may_continue():
                    self.current_analysis = analysis

        Thread(target=analyse_to_end, name="zim-judging", daemon=True).start()


def _discussion_revision(session: Session, match: str) -> int:
    return session.service.discussion(match).revision


def load_history() -> History:
    """The lines of all sessions; if the file can't be written, only those of this session."""
    try:
        return FileHistory(str(history_file()))
    except OSError:
        return InMemoryHistory()
