"""What is open at the table, and where one is: plain data. Only the thread that draws changes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from zimcli.game_end import EndAnalysis, GameEnd, NextStep
from zimcli.lesson import Lesson
from zimcli.render.spans import Block, Line
from zimcli.request_answers import SeenDiscussion
from zimcli.table.preview import NOTHING, Preview
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import DecisionDocument, HintAnswer
from zimcore.documents.discussion import RequestInfo
from zimcore.game import Overlay, Seat
from zimcore.service import LineInfo
from zimcore.service.clocks import Clock

Focus: TypeAlias = Literal["line", "board", "log"]


class LineView(NamedTuple):
    """A line of play as it was read last: its head, what was played, and who has to come to the keyboard, if anybody.

    `shown` is true where the one who sat here until now has yet to see what their last move has brought. `lines` and
    `marks` are the names that can be typed. What was said `around` the game stands in the log; `asked` are the requests
    that wait for who sits here. `judged` is what an analysis that is kept thinks of the turns. `clocks` are those of
    who is to move, where there is a pace. `helps` says whether programs may help with the game, `advises` whether what
    is worth a look may be shown. `end` is there when it is over. Where programs play all other seats, `alone` is the
    seat of the only person.
    """

    head: Position
    commits: Sequence[Commit]
    awaited: Seat | None = None
    shown: bool = False
    lines: Sequence[LineInfo] = ()
    marks: Sequence[str] = ()
    around: SeenDiscussion = SeenDiscussion()
    asked: Sequence[RequestInfo] = ()
    judged: Sequence[DecisionDocument] = ()
    clocks: Mapping[Seat, Clock] = MappingProxyType({})
    helps: bool = False
    advises: bool = True
    end: GameEnd | None = None
    alone: Seat | None = None


class Thought(NamedTuple):
    """What is thought of a position so far; `done` when that is all."""

    head: Position
    answer: HintAnswer
    done: bool = False


class Pager:
    """Something long to read: its blocks, and the line at the top."""

    def __init__(self, title: str, blocks: Sequence[Block], *, at_end: bool = False) -> None:
        self.title = title
        self.blocks = blocks
        self.top = 1 << 30 if at_end else 0  # where it is drawn it comes down to what there is


class TableModel:
    """What stands on the table. `version` grows with every change, so that nothing is drawn twice."""

    def __init__(self, view: LineView) -> None:
        self.view = view
        self.looking: Position | None = None
        self.focus: Focus = "line"
        self.cursor = ""
        self.overlay: Overlay | None = None
        self.inspected: Sequence[Block] = ()
        self.pager: Pager | None = None
        self.answer: Sequence[Block] = ()
        self.last: Pager | None = None
        self.lesson: Lesson | None = None
        self.busy = ""
        self.seat: Seat | None = None
        self.thought: Thought | None = None
        self.is_judging = False
        self.thinks = True
        self.analysed: tuple[str, EndAnalysis] = "", EndAnalysis()
        self.next_steps: Sequence[NextStep] = ()
        self.previewed: tuple[str, Position, Preview] | None = None
        self.warning: Line = []
        self.pointed: Line = []
        self.turned = 0
        self.version = 0

    @property
    def head(self) -> Position:
        """Where one plays on."""
        return self.view.head

    @property
    def here(self) -> Position:
        """The position on the screen: the head, or one that is looked back at."""
        return self.looking or self.view.head

    @property
    def current_thought(self) -> Thought | None:
        """What is thought of the head, if it is the head that is shown."""
        return self.thought if self.thought and self.thought.head is self.here else None

    @property
    def end(self) -> GameEnd | None:
        """What is known of the end of the game, if it is its end that is shown."""
        return self.view.end if not self.looking and not self.is_covered else None

    @property
    def end_analysis(self) -> EndAnalysis:
        """What is found by now of the game that is over."""
        digest, found = self.analysed
        return found if digest == self.head.commit.digest else EndAnalysis(self.view.judged)

    @property
    def judged(self) -> Sequence[DecisionDocument]:
        """What is thought of the turns: what is kept, or found by now."""
        return self.end_analysis.decisions or self.view.judged

    def preview(self, line: str) -> Preview:
        """What the line would do to the board that is shown, as far as that has been found."""
        known = self.previewed
        return known[2] if known and known[0] == line and known[1] is self.here else NOTHING

    @property
    def is_covered(self) -> bool:
        """Whether nobody may see anything now: the next player has yet to come to the keyboard."""
        return self.view.awaited is not None and not self.view.shown

    @property
    def is_open(self) -> bool:
        """Whether Escape has something to close."""
        over = self.lesson and self.lesson.can_be_closed
        opened = self.pager or self.looking or self.overlay or self.cursor or self.focus != "line"
        return bool(opened or self.warning or over)

    def close(self) -> None:
        """Closes what was opened last: the pager, a mode of the keys, what lies over the board, a look back."""
        if self.pager:
            self.pager = None
        elif self.focus == "log":
            self.focus, self.looking = "line", None
        elif self.focus == "board" or self.cursor:
            self.focus, self.cursor, self.inspected, self.overlay = "line", "", (), None
        elif self.overlay:
            self.overlay = None
        elif self.looking:
            self.looking = None
        elif self.lesson and self.lesson.can_be_closed:
            self.lesson = None
        self.warning = []

    def forget(self) -> None:
        """Leaves nothing of what was open: somebody else comes to the keyboard."""
        view, version, seat, thinks = self.view, self.version, self.seat, self.thinks
        self.__init__(view)  # type: ignore[misc]
        self.version, self.seat, self.thinks = version + 1, seat, thinks

    def saw(self, view: LineView) -> None:
        """Takes note of how the line stands now; what is looked back at stays."""
        if view.head.place != self.head.place:
            self.looking, self.cursor, self.inspected, self.overlay = None, "", (), None
        if view.head.commit.digest != self.head.commit.digest:
            self.overlay = None
        self.view = view
        self.version += 1
