"""The one thread that owns the service while the table is open. It runs commands and reads news one after the other.

The drawing thread never waits for a store. It gets what was read as a `LineView`, and the result of typed input as an
`InputResult`. Neither is changed afterwards.

In other words: worker thread.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from zimcli.output.errors import problem_of
from zimcli.render.map import drawing_class
from zimcli.render.spans import Block
from zimcli.repl.loop import run_line, try_line
from zimcli.session.analysis_cache import cache_file, judgement_documents, known_judgements
from zimcli.session.bot_moves import PatientDriver
from zimcli.session.current_place import follow_current_line
from zimcli.session.lesson import Lesson
from zimcli.session.seen_discussion import read_discussion
from zimcli.session.session import LeaveError, Session
from zimcli.session.who_plays import derive_viewer, next_player, only_person, own_seats
from zimcli.settings.hooks import run_hooks
from zimcli.shell.exit_codes import CONFLICT, UnsureError
from zimcli.study.game_end import game_end
from zimcli.table.model import LineView
from zimcli.table.table_output import TableOutput
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import DecisionDocument
from zimcore.documents.look import BoardAnswer
from zimcore.game import Seat
from zimcore.service.lines.visibility import EVERYTHING, TABLE, Viewer


class InputResult:
    """The result of typed input: text to read, a board to show, and the new view of the line of play.

    `covers_board`: the text is to be read from its beginning, so it may cover the board. `ends_table`: the table
    closes. If the input `has_failed` but may still be wanted, because it came too late or needs a confirmation,
    `offers_again` puts it back to be sent once more.
    """

    def __init__(self, typed_line: str, view: LineView) -> None:
        self.typed_line = typed_line
        self.view = view
        self.blocks: list[Block] = []
        self.board: BoardAnswer | None = None
        self.covers_board = False
        self.has_failed = False
        self.offers_again = False
        self.ends_table = False
        self.lesson: Lesson | None = None


class ServiceThread:
    """Owns the service. Call its methods only on its own `executor`, except `allow`, `stop` and `close`."""

    def __init__(self, session: Session, show_progress: Callable[[str], None]) -> None:
        self.session = session
        self.show_progress = show_progress
        self.executor = ThreadPoolExecutor(1, "zim-service")
        self.stop_requested = False
        self.result: InputResult | None = None
        self.last_stamp: tuple[str, int, Mapping[Seat, str] | None] = ("", -1, None)
        self.taught_match, self.seat_before_lesson = "", session.seat
        self.cached_judgements: tuple[object, Sequence[DecisionDocument]] = None, ()
        self.driver = PatientDriver()
        session.teach = self.teach
        self.shell_output = session.output
        session.output = TableOutput(False, session.output.color, session.output.ascii, sink=self)

    def allow(self) -> None:
        """Forgets an earlier `stop`, before a task. Later ones count, even if the task still waits for this thread."""
        self.stop_requested = False

    def stop(self) -> None:
        """Stops the line that runs or waits, when it next shows or reports something."""
        self.stop_requested = True

    def close(self) -> None:
        """Stops the running line and waits for it; answers are printed to stdout again."""
        self.stop()
        self.executor.shutdown(cancel_futures=True)
        self.session.output, self.session.teach = self.shell_output, None

    def teach(self, lesson: Lesson) -> None:
        """Starts a tutorial, in whose game all cards are visible, or an exercise."""
        if self.result and self.session.current:
            self.result.lesson = lesson
            self.taught_match = self.session.current.match if not lesson.is_exercise else self.taught_match

    def take_tutorial_seat(self) -> None:
        """In the tutorial's game, lets the session see everything and play every seat.

        Outside it, returns to the user's own seat and view.
        """
        session = self.session
        if not self.taught_match or session.current is None:
            return
        if session.current.match == self.taught_match:
            self.seat_before_lesson, session.seat = session.seat or self.seat_before_lesson, None
            session.set_viewer(EVERYTHING)
        else:
            self.taught_match, session.seat, self.seat_before_lesson = "", self.seat_before_lesson, None
            session.set_viewer(Viewer(session.seat) if session.seat else TABLE)

    def read_view(self, *, previous_player_is_there: bool = False, note: str = "") -> LineView:
        """Reads the current line as the viewer may see it."""
        derive_viewer(self.session)
        session, head = self.session, self.session.current
        assert head, "a table has a game on it"
        # Import these here, not in the threads that draw and think: two threads that import one package can deadlock.
        _ = head.game.rules, head.game.notation, head.game.display, head.game.questions
        commits = session.log(f"{head.place}@{head.commit.digest}")
        lines, marks = session.service.lines(head.match), session.service.marks(head.place)
        discussion = read_discussion(session)
        self.last_stamp = self.stamp(head)
        waiting = discussion.waiting(session.seat)
        judged_turns, clocks = self.judged_turns(commits), session.service.due(head.match)
        return LineView(
            head,
            commits,
            next_at_keyboard=next_player(session),
            previous_player_is_there=previous_player_is_there,
            lines=lines,
            marks=marks,
            discussion=discussion,
            waiting=waiting,
            judged_turns=judged_turns,
            clocks=clocks,
            helps=session.is_help_allowed(head.place),
            advises=session.advises,
            end=game_end(session),
            only_person=only_person(session),
            own_seats=own_seats(session, head),
            note=note,
        )

    def judged_turns(self, commits: Sequence[Commit]) -> Sequence[DecisionDocument]:
        """The cached judgements of the turns, read again only if the cache or the line has changed."""
        session, head = self.session, self.session.current
        assert head
        file = cache_file(commits)
        key = (commits[-1].digest, file.stat().st_mtime_ns if file.exists() else 0)
        if self.cached_judgements[0] != key:
            self.cached_judgements = (
                key,
                judgement_documents(head.game, commits, known_judgements(session, head.game, head.place, commits)),
            )
        return self.cached_judgements[1]

    def stamp(self, head: Position) -> tuple[str, int, Mapping[Seat, str] | None]:
        """The game, the revision of its discussion, and who sits where: what changes without a move."""
        service = self.session.service
        seats = {**(service.players(head.match) or {}), **service.bots(head.place)}
        return head.match, service.discussion(head.match).revision, seats

    def run_typed_line(self, line: str, seen_position: Position) -> InputResult:
        """Runs a line that was typed while `seen_position` was on the screen.

        If the line of play has moved on since, that is a conflict.
        """
        session, result = self.session, InputResult(line, LineView(seen_position, ()))
        if note := follow_current_line(session):
            result.blocks, result.ends_table = (
                [[(f"{note}; nothing was played", "bold yellow")]],
                session.current is None,
            )
            if not result.ends_table:
                result.has_failed, result.offers_again, result.view = True, True, self.read_view()
            return result
        head = session.current
        if head and head.place == seen_position.place and head.commit.digest != seen_position.commit.digest:
            session.enter_position(seen_position)
        self.result = result
        try:
            with captured_output(result):
                run_line(session, line)
        except LeaveError:
            result.ends_table = True
        except KeyboardInterrupt:
            result.blocks.append([("stopped: what was played before stays played", "bold red")])
        except Exception as error:
            problem = problem_of(error)
            result.has_failed, result.offers_again = True, problem.code == CONFLICT or isinstance(error, UnsureError)
            session.output.show_problem(problem)
        finally:
            self.result = None
        self.take_tutorial_seat()  # even after an error: an earlier command of the line may have begun or left it
        if session.current is None:  # its game was deleted
            result.ends_table = True
        else:
            result.view = self.read_view(previous_player_is_there=bool(session.viewer.seat))
        return result

    def run_in_terminal(self, line: str) -> InputResult:
        """Runs a command that reads from the terminal itself. The current line of play stays the same."""
        session, position = self.session, self.session.current
        with session.showing_to(self.shell_output), suppress(EOFError, KeyboardInterrupt, LeaveError):
            try_line(session, line)
            input("Enter goes back to the table: ")
        session.current = position
        return InputResult(line, self.read_view())

    def read_news(self) -> LineView | None:
        """The new view of the line, if other players have moved or written since it was last read; else None."""
        session = self.session
        if note := follow_current_line(session):
            return self.read_view(note=note) if session.current else None  # if not, the next line says so
        if self.driver.is_due(session):
            self.driver.let_programs_move(session)
            return self.read_view(previous_player_is_there=bool(session.viewer.seat))
        if session.current is None or not session.service.may_have_changed(session.place):
            return None
        position = session.position(session.place)
        if position.commit.digest == session.current.commit.digest and self.stamp(position) == self.last_stamp:
            return None
        if position.commit.number > session.current.commit.number:
            run_hooks(position, session.show_note)
        session.enter_position(position)
        return self.read_view(previous_player_is_there=bool(session.viewer.seat))

    def connection_warning(self) -> str:
        """Why the server can't be reached, so that the screen may be out of date; "" if it can."""
        return self.session.service.offline_reason

    def position_at(self, place: str) -> Position:
        """A position of the current line, to look back at."""
        return self.session.position(self.session.complete_place(place))

    def hide_hands(self) -> LineView:
        """Reads the line of play without what only the last player may see: they have left the keyboard."""
        self.session.set_viewer(TABLE)
        return self.read_view()

    def show_next_hand(self) -> LineView:
        """Reads the line of play as the next player may see it: they have come to the keyboard."""
        seat = next_player(self.session)
        if seat:
            self.session.set_viewer(Viewer(seat))
        return self.read_view()

    def add_blocks(self, blocks: Iterable[Block], *, leaves_board: bool = False) -> None:
        """Collects what a line shows. Raises `KeyboardInterrupt` if the user has asked to stop the line."""
        if self.result:
            self.result.blocks += blocks
            self.result.covers_board |= not leaves_board
        self.check_stopped()

    def show_board(self, answer: BoardAnswer) -> bool:
        """Takes a board of the current line, to show it as the table's board. Returns whether it did."""
        position = self.session.current
        if self.result is None or answer.files or answer.board is None or position is None:
            return False
        if (answer.position.game, answer.position.line) != (position.match, position.line):
            return False
        self.result.board = answer
        if answer.overlay:
            self.add_blocks([[(answer.overlay.title, "bold yellow")]])
        else:
            legend = drawing_class(answer.board)(answer.board, {}).legend_lines(0)
            self.add_blocks([[part for line in legend for part in line if part[0]]])
        return True

    def report_progress(self, text: str) -> None:
        """Shows the progress of a long task. Raises `KeyboardInterrupt` if the user has asked to stop the line."""
        self.show_progress(text)
        self.check_stopped()

    def check_stopped(self) -> None:
        """Raises `KeyboardInterrupt` if the user has asked to stop the running line. News of others are no line."""
        if self.stop_requested and self.result:
            self.stop_requested = False
            raise KeyboardInterrupt


@contextmanager
def captured_output(result: InputResult) -> Iterator[None]:
    """Captures what a command such as `export -` prints, for the screen, and makes stdin empty."""
    captured_stream, empty_input = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", "replace", write_through=True) for _ in range(2)
    )
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = empty_input, captured_stream, captured_stream
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        captured_stream.seek(0)
        lines = captured_stream.read().splitlines()
        result.blocks += [[(line, "")] for line in lines]
        result.covers_board |= bool(lines)  # printed text is read from its beginning
