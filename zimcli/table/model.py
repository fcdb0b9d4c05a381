"""The state of the table: what is open, and what has the focus. Plain data.

The drawing thread changes it. The threads that suggest and judge only replace whole values: `thought`, `is_judging`,
`preview_cache`, `analysis_cache`, `next_steps`, and the `version`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from zimcli.render.spans import Block, Line
from zimcli.session.lesson import Lesson
from zimcli.session.seen_discussion import SeenDiscussion, Told
from zimcli.study.game_end import EndAnalysis, GameEnd, NextStep
from zimcli.table.preview import NO_PREVIEW, Preview
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import DecisionDocument, HintAnswer
from zimcore.game import Overlay, Seat
from zimcore.service import LineInfo
from zimcore.service.lines.clocks import Clock

Focus: TypeAlias = Literal["line", "board", "log"]


class LineView(NamedTuple):
    """A line of play as it was last read: its head, its commits, and the names that can be typed (`lines`, `marks`).

    - `next_at_keyboard`: the seat whose player must come to the keyboard, if any.
    - `previous_player_is_there`: whether the previous player still sits there, to see the result of their last move.
    - `discussion`: the discussion of the game, for the log. `waiting`: what waits for this player.
    - `judged_turns`: cached judgements of the turns. `clocks`: the clocks of the seats to move, if the game has a pace.
    - `helps`: whether programs may help. `advises`: whether the game's advice may be shown.
    - `end`: the end of the game, once it is over. `only_person`: the seat of the only person, if bots play all others.
    - `own_seats`: the seats to move that the user may play. `note`: why the line of play is another one now.
    """

    head: Position
    commits: Sequence[Commit]
    next_at_keyboard: Seat | None = None
    previous_player_is_there: bool = False
    lines: Sequence[LineInfo] = ()
    marks: Sequence[str] = ()
    discussion: SeenDiscussion = SeenDiscussion()
    waiting: Sequence[Told] = ()
    judged_turns: Sequence[DecisionDocument] = ()
    clocks: Mapping[Seat, Clock] = MappingProxyType({})
    helps: bool = False
    advises: bool = True
    end: GameEnd | None = None
    only_person: Seat | None = None
    own_seats: tuple[Seat, ...] = ()
    note: str = ""


class Thought(NamedTuple):
    """The judgement of a position so far; `is_done` says whether it is complete."""

    head: Position
    answer: HintAnswer
    is_done: bool = False


class Pager:
    """A long text to read: its blocks, and the number of its first line on the screen."""

    def __init__(self, title: str, blocks: Sequence[Block], *, at_end: bool = False) -> None:
        self.title = title
        self.blocks = blocks
        self.top_line = 1 << 30 if at_end else 0  # drawing reduces this to the last page


class TableModel:
    """The state of the table. `version` grows with every change, so that nothing is drawn twice."""

    def __init__(self, view: LineView) -> None:
        self.view = view
        self.earlier_position: Position | None = None
        self.focus: Focus = "line"
        self.cursor = ""
        self.overlay: Overlay | None = None
        self.inspection_blocks: Sequence[Block] = ()
        self.pager: Pager | None = None
        self.answer: Sequence[Block] = ()
        self.shows_end = False
        self.last_pager: Pager | None = None
        self.lesson: Lesson | None = None
        self.busy_text = ""
        self.seat: Seat | None = None
        self.thought: Thought | None = None
        self.is_judging = False
        self.thinks = True
        self.analysis_cache: tuple[str, EndAnalysis] = "", EndAnalysis()
        self.next_steps: Sequence[NextStep] = ()
        self.preview_cache: tuple[str, Position, Preview] | None = None
        self.warning: Line = []
        self.pointer_line: Line = []
        self.pane_key_presses = 0
        self.version = 0

    @property
    def head(self) -> Position:
        """The head of the line, where moves are played."""
        return self.view.head

    @property
    def shown_position(self) -> Position:
        """The position on the screen: the head, or an earlier one while you look back."""
        return self.earlier_position or self.view.head

    @property
    def current_thought(self) -> Thought | None:
        """The judgement of the head, if the head is on the screen."""
        return self.thought if self.thought and self.thought.head is self.shown_position else None

    def advised_commands(self, line: str) -> Sequence[str]:
        """The commands of a line that is the best turn; () for any other line."""
        best_hints = self.current_thought.answer.hints[:1] if self.current_thought else ()
        return next((each.commands for each in best_hints if "; ".join(each.commands) == line.strip()), ())

    @property
    def end(self) -> GameEnd | None:
        """The end of the game, if the final position is on the screen."""
        return self.view.end if not self.earlier_position and not self.is_covered else None

    @property
    def end_analysis(self) -> EndAnalysis:
        """The analysis of the finished game so far."""
        digest, analysis = self.analysis_cache
        return analysis if digest == self.head.commit.digest else EndAnalysis(self.view.judged_turns)

    @property
    def judged_turns(self) -> Sequence[DecisionDocument]:
        """The judgements of the turns: those found so far, or else the cached ones."""
        return self.end_analysis.decisions or self.view.judged_turns

    def preview(self, line: str) -> Preview:
        """What the typed line would do to the board on the screen, if that has been worked out."""
        cached_preview = self.preview_cache
        return (
            cached_preview[2]
            if cached_preview and cached_preview[0] == line and cached_preview[1] is self.shown_position
            else NO_PREVIEW
        )

    @property
    def is_covered(self) -> bool:
        """Whether the screen must show nothing, because the next player has yet to come to the keyboard."""
        return self.view.next_at_keyboard is not None and not self.view.previous_player_is_there

    @property
    def has_something_to_close(self) -> bool:
        """Whether Escape has something to close."""
        closable_lesson = self.lesson and self.lesson.can_be_closed
        open_parts = (
            self.pager
            or self.earlier_position
            or self.overlay
            or self.cursor
            or self.focus != "line"
            or self.pane_key_presses
        )
        return bool(open_parts or self.warning or closable_lesson)

    def close(self) -> None:
        """Closes what was opened last: the pager, the focus on log or board, the overlay, a look back, the panes
        that did not fit, the lesson.
        """
        if self.pager:
            self.pager = None
        elif self.focus == "log":
            self.focus, self.earlier_position = "line", None
        elif self.focus == "board" or self.cursor:
            self.focus, self.cursor, self.inspection_blocks, self.overlay = "line", "", (), None
        elif self.overlay:
            self.overlay = None
        elif self.earlier_position:
            self.earlier_position = None
        elif self.pane_key_presses:
            self.pane_key_presses = 0
        elif self.lesson and self.lesson.can_be_closed:
            self.lesson = None
        self.warning = []

    def reset(self) -> None:
        """Resets everything that was open, because another player comes to the keyboard."""
        view, version, seat, thinks = self.view, self.version, self.seat, self.thinks
        self.__init__(view)  # type: ignore[misc]
        self.version, self.seat, self.thinks = version + 1, seat, thinks

    def update_view(self, view: LineView) -> None:
        """Takes a new view of the line. A look back stays open if the line is the same."""
        if view.head.place != self.head.place:
            self.earlier_position, self.cursor, self.inspection_blocks, self.overlay = None, "", (), None
        if view.head.match != self.head.match:
            self.pane_key_presses = 0
        if view.head.commit.digest != self.head.commit.digest:
            self.overlay = None
        self.view = view
        self.version += 1
