"""Renders history: moves, events, causes, and differences between lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from zimcli.render.answers import Renderers
from zimcli.render.answers.analysis import curve_lines, percent_text, remark_lines
from zimcli.render.figures import change_table, figure_text, figures_text
from zimcli.render.moves import DIGEST_DIGITS, Seats, move_line, move_lines, place_line, seat_span, switched_line_note
from zimcli.render.spans import Block, Line, Screen, Sheet
from zimcore.documents.analysis import DecisionDocument
from zimcore.documents.history import (
    AllEventsAnswer,
    BisectAnswer,
    Chapter,
    CompareAnswer,
    Conflict,
    EventsAnswer,
    LogAnswer,
    Posting,
    RewriteAnswer,
    RoundDifference,
    StoryAnswer,
    StoryNote,
    WhyAnswer,
)
from zimcore.documents.listings import Operation, PositionNote, TagInfo
from zimcore.documents.positions import CommitDocument, PositionDocument
from zimcore.game import Table
from zimcore.toolkit.words import numbered


def log_blocks(answer: LogAnswer, _: Screen) -> Iterator[Block]:
    """One commit per line; a whole line as a drawing of its branches."""
    if answer.operations is not None:
        yield Sheet(operations_table(answer.operations))
        return
    commits = [with_notes(with_tags(commit, answer.tags), answer.notes) for commit in answer.commits or ()]
    rows = answer.graph
    if rows is None:
        yield from move_lines(commits, answer.position)
        return
    commits_by_digest = {commit.digest: commit for commit in commits}
    gutters, heads = [row.lanes for row in rows], {row.digest: row.heads for row in rows}
    yield from move_lines([commits_by_digest[row.digest] for row in rows], answer.position, gutters, heads)


def with_tags(commit: CommitDocument, tags: Sequence[TagInfo]) -> CommitDocument:
    """A commit with the tags of its position after its marks."""
    names = [tag.name for tag in tags if tag.digest == commit.digest]
    return replace(commit, marks=(*commit.marks, *names)) if names else commit


def with_notes(commit: CommitDocument, notes: Sequence[PositionNote]) -> CommitDocument:
    """A commit with what happened around the game after it, as further facts."""
    texts = [note.text for note in notes if note.about == commit.digest]
    return replace(commit, facts=(*(commit.facts or ()), *texts)) if texts else commit


def operations_table(operations: Sequence[Operation]) -> Table:
    """The operations, first to last."""
    rows = (
        (
            operation.id[:DIGEST_DIGITS],
            f"{operation.at:%Y-%m-%d %H:%M}",
            operation.by,
            operation.what,
            operation.source,
            operation.target,
        )
        for operation in operations
    )
    return Table("", ("id", "when", "who", "what", "from", "to"), tuple(rows))


def all_events_blocks(answer: AllEventsAnswer, _: Screen) -> Iterator[Block]:
    """One fact per line, with its commit."""
    for fact in answer.facts:
        yield [(f"{fact.game}/{fact.line}@{fact.number}  ", "dim"), (fact.told, "")]


def events_blocks(answer: EventsAnswer, _: Screen) -> Iterator[Block]:
    """One fact per line, with the number of its move."""
    for fact in answer.facts:
        yield [(f"{fact.number:>4}  ", "dim"), (fact.text, "")]


def story_blocks(answer: StoryAnswer, _: Screen) -> Iterator[Block]:
    """The turns of each round with their judgements, the standings at its end, and the chances over time."""
    colours = answer.position.colours
    for chapter in answer.story:
        yield from chapter_lines(chapter, answer.position, answer.judged, answer.notes)
        yield []
        if chapter.standings and chapter.standings.rows:
            yield Sheet(chapter.standings, colours)
            yield []
    if answer.judged:
        yield [("Chances to win, by the analysis that is kept", "bold")]
        yield from curve_lines([decision.chances for decision in answer.judged], colours)


def chapter_lines(
    chapter: Chapter, seats: Seats, decisions: Sequence[DecisionDocument] = (), notes: Sequence[StoryNote] = ()
) -> Iterator[Line]:
    """The turns of a round, each with the numbers of its moves and its judgement, and what happened around the game."""
    yield [(f"@{chapter.name}" if chapter.name else "@start", "bold cyan")]
    for turn in chapter.turns:
        numbers_text = f"{turn.first}" if turn.first == turn.last else f"{turn.first}-{turn.last}"
        yield [(f"{numbers_text:>7} ", "dim"), seat_span(turn.seat, seats), (f" {turn.report}", "")]
        yield from ([(" " * 8, ""), (note.text, "yellow")] for note in notes if turn.first <= note.number <= turn.last)
        for decision in decisions:
            if turn.first <= decision.last <= turn.last:
                if decision.turning:
                    chances_text = " · ".join(
                        f"{seat} {percent_text(chance.chance)}" for seat, chance in decision.chances.items()
                    )
                    yield [(" " * 14, ""), ("turning point: ", "bold yellow"), (chances_text, "")]
                yield from remark_lines(decision)


def compare_blocks(answer: CompareAnswer, _: Screen) -> Iterator[Block]:
    """The rounds of both lines, and the figures that differ at their ends."""
    first_name, second_name = position_name(answer.a), position_name(answer.b)
    if answer.a.digest == answer.b.digest:
        yield [(f"{first_name} and {second_name}", "bold"), (": the same position", "")]
        return
    parting_text = "they share nothing" if answer.parted is None else f"they part after move {answer.parted}"
    yield [(f"{first_name} and {second_name}", "bold"), (f": {parting_text}", "")]
    for difference in answer.rounds:
        yield from round_blocks(difference, answer)
    yield []
    yield [("Differences at their ends", "bold")]
    if answer.differences:
        yield Sheet(change_table(answer.differences, first_name, second_name), answer.a.colours)
    else:
        yield [("every number is the same for every player", "")]


def round_blocks(difference: RoundDifference, answer: CompareAnswer) -> Iterator[Block]:
    """What each line played in a round, and how they differ at its end."""
    colours = answer.a.colours
    yield []
    yield [(f"@{difference.name}" if difference.name else "@start", "bold cyan")]
    for position, numbers, commits in (
        (answer.a, difference.a, answer.only_a),
        (answer.b, difference.b, answer.only_b),
    ):
        yield [(f"only {position_name(position)}", "cyan"), (f": {moves_text(len(numbers))}", "")]
        yield from move_lines(commits_with(commits, numbers), position)
    if difference.figures or difference.paid:
        yield Sheet(
            change_table([*difference.figures, *difference.paid], position_name(answer.a), position_name(answer.b)),
            colours,
        )
    for square in difference.squares:
        yield [
            (
                f"  {square.square}: {square.a or 'nothing'} | {square.b or 'nothing'}",
                "",
            )
        ]


def commits_with(commits: Sequence[CommitDocument], numbers: Sequence[int]) -> Sequence[CommitDocument]:
    """The commits with these consecutive numbers."""
    return [commit for commit in commits if commit.number in numbers]


def moves_text(count: int) -> str:
    """A number of moves in words."""
    return numbered(count, "move") if count else "nothing"


def position_name(position: PositionDocument) -> str:
    """A short name of a position: its line and number."""
    return f"{position.line}@{position.number}"


def why_blocks(answer: WhyAnswer, _: Screen) -> Iterator[Block]:
    """One change per line: the move and its seat, the change, the new value, and the event."""
    position = answer.position
    place_text = f"{position.game} {position.line} @{position.number}"
    yield [(place_text, "bold"), (" · ", "dim"), (f"{answer.why} is {figure_text(answer.value)}", "")]
    posting_texts = [(posting, change_text(posting)) for posting in answer.postings]
    width = max((len(text) for _, text in posting_texts), default=0)
    for posting, text in posting_texts:
        yield [
            (f"{posting.number:>4} ", "dim"),
            seat_span(posting.seat, position),
            (f" {text:<{width}}", "bold"),
            (f"  {posting.told}", ""),
        ]
    if answer.meaning:
        yield [(answer.meaning, "dim")]


def change_text(posting: Posting) -> str:
    """`+2 = 7` for a number, `→ gu` for anything else."""
    if posting.change is None:
        return f"→ {figure_text(posting.after)}"
    return f"{posting.change:+d} = {posting.after}"


def bisect_blocks(answer: BisectAnswer, _: Screen) -> Iterator[Block]:
    """The move, and the figures before and after it."""
    if answer.at_start:
        yield [(": ".join(filter(None, ["it holds at the start", figures_text(answer.start)])), "")]
    first_change = answer.first
    if first_change:
        yield move_line(first_change, answer.position)
        yield [(f"     commit {first_change.digest[:DIGEST_DIGITS]} by {first_change.by}", "dim")]
        yield [(f"     before: {figures_text(first_change.before)}", "")]
        yield [(f"     after:  {figures_text(first_change.after)}", "")]
    if answer.skipped:
        skipped_text = ", ".join(f"@{number}" for number in answer.skipped)
        yield [(f"     it may have been one of those that were skipped: {skipped_text}", "dim")]
    if len(answer.turns) > 1:
        yield [(f"     {later_changes_text(answer)}", "dim")]


def later_changes_text(answer: BisectAnswer) -> str:
    """Later changes: `then not after @20, so after @25`."""
    turns = [turn for turn in answer.turns if not answer.first or turn.digest != answer.first.digest]
    return "then " + ", ".join(f"{'so' if turn.holds else 'not so'} after @{turn.number}" for turn in turns)


def rewrite_blocks(answer: RewriteAnswer, screen: Screen) -> Iterator[Block]:
    """The moves that were replayed, the conflicts, and the resulting position."""
    yield from move_lines(answer.played, answer.position)
    for conflict in answer.conflicts:
        yield from conflict_lines(conflict, answer.position)
    yield from move_lines(answer.answered, answer.position)
    if not screen.is_failure:
        yield [*place_line(answer.position), ("" if answer.stored else " (nothing was kept)", "dim")]
        yield from switched_line_note(answer.position, answer.left, screen)


def conflict_lines(conflict: Conflict, seats: Seats) -> Iterator[Line]:
    """A move that is now refused, with every rule that it breaks."""
    yield [("✗", "bold red"), *move_line(conflict.commit, seats)[:3]]
    for refusal in conflict.refusals:
        yield [("        ", ""), (f"{refusal.code}  ", "yellow"), (refusal.reason, "")]


RENDERERS: Renderers = {
    LogAnswer: log_blocks,
    AllEventsAnswer: all_events_blocks,
    EventsAnswer: events_blocks,
    StoryAnswer: story_blocks,
    CompareAnswer: compare_blocks,
    WhyAnswer: why_blocks,
    BisectAnswer: bisect_blocks,
    RewriteAnswer: rewrite_blocks,
}
