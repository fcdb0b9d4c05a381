"""Renders what was played, tried, planned and explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from zimcli.render.answers import Renderers
from zimcli.render.figures import balance_lines, change_table, figure_text
from zimcli.render.moves import fact_lines, move_line, move_lines, place_line, turn_line
from zimcli.render.spans import Block, Note, Screen, Sheet
from zimcli.render.tables import table_blocks
from zimcli.shell.program_name import program_name
from zimcore.documents.play import (
    AdviceAnswer,
    ArenaAnswer,
    BotAnswer,
    ExplainAnswer,
    LegalAnswer,
    PlanAnswer,
    PlayAnswer,
    PreviewAnswer,
    RunAnswer,
    SweepAnswer,
    TrialAnswer,
)
from zimcore.documents.positions import PositionDocument
from zimcore.game import Seat, Table
from zimcore.rule_texts import section_label
from zimcore.toolkit.words import numbered


def played_moves_blocks(answer: PlayAnswer, screen: Screen) -> Iterator[Block]:
    """Each command; outside the prompt also what to do next, which the prompt shows itself."""
    for commit in answer.played:
        yield move_line(commit, answer.position)
    if not screen.in_session and not screen.is_failure:
        yield [("→ ", "dim"), (answer.position.status, "")]
        if answer.turn:
            yield [("  ", ""), *turn_line(answer.turn)]
    if answer.drawn:
        yield [("  drawn: ", "dim"), (answer.drawn, "")]
    yield from map(Note, answer.wasted)


def bot_moves_blocks(answer: BotAnswer, screen: Screen) -> Iterator[Block]:
    """The moves of a bot, with its reasons."""
    if not answer.played:
        yield Note(f"nothing was played: {answer.position.status}")
        return
    moves = PlayAnswer(played=answer.played, position=answer.position, turn=answer.turn)
    for block, why in zip_longest(played_moves_blocks(moves, screen), answer.why):
        yield block
        if why:
            yield [(f"    {why}", "dim")]


def arena_results_blocks(answer: ArenaAnswer, _: Screen) -> Iterator[Block]:
    """The results of each bot, one per line; then the cards that seats had, by wins."""
    rows = tuple(
        (
            *(standing.bot, f"{standing.wins:g} of {standing.matches}", f"{standing.share:.1%}"),
            *(f"{standing.low:.1%} to {standing.high:.1%}", "-" if standing.fair is None else f"{standing.fair:.0%}"),
            f"{standing.milliseconds:.1f}",
            "" if standing.rating is None else f"{standing.rating:.1f} ± {standing.doubt or 0:.1f}",
        )
        for standing in answer.standings
    )
    headings = ("bot", "won", "share", "95 %", "fair", "ms a command", "rating")
    has_ratings = any(standing.rating is not None for standing in answer.standings)
    yield Sheet(
        Table("", headings if has_ratings else headings[:-1], rows if has_ratings else tuple(row[:-1] for row in rows))
    )
    for kind in dict.fromkeys(holding.kind for holding in answer.holdings):
        holdings = [holding for holding in answer.holdings if holding.kind == kind]
        holding_rows = tuple(
            (holding.name, f"{holding.wins:g} of {holding.seats}", f"{holding.wins / holding.seats:.0%}")
            for holding in holdings
        )
        yield Sheet(Table("", (kind, "won", "share"), holding_rows))
    if answer.sure is not None:
        yield [
            (
                "the first bot reaches the share of --least"
                if answer.sure
                else "the first bot does not reach the share of --least",
                "bold",
            )
        ]
    if answer.kept:
        yield [("→ ", "dim"), (f"{program_name()} --store {answer.kept} games", "")]


def run_summary_blocks(answer: RunAnswer, screen: Screen) -> Iterator[Block]:
    """A note that all lines succeeded. Failures are in the error that follows."""
    if not screen.is_failure:
        yield [(f"{numbered(answer.lines, 'line')} run without an error", "")]


def trial_blocks(answer: TrialAnswer, _: Screen) -> Iterator[Block]:
    """The facts, the changes for each player, and the balance."""
    yield from move_lines(answer.tried, answer.position)
    if answer.changes:
        yield Sheet(change_table(answer.changes, "now", "then"), answer.position.colours)
    yield from balance_lines(answer.balance)
    yield [("→ after it: ", "dim"), (answer.position.status, ""), (" (nothing was played)", "dim")]


def sweep_blocks(answer: SweepAnswer, _: Screen) -> Iterator[Block]:
    """The current figures, then one command per line with its figures."""
    yield place_line(answer.position)
    yield from unseen_note(answer.unseen)
    labelled_values = [("now", answer.now), *((each.command, each.values) for each in answer.outlooks)]
    rows = tuple((text, *(figure_text(values[name]) for name in answer.by)) for text, values in labelled_values)
    yield Sheet(Table("", ("command", *answer.by), rows))
    if not answer.count:
        yield Note(f"no command with this beginning is legal: {answer.position.status}")


def legal_blocks(answer: LegalAnswer, screen: Screen) -> Iterator[Block]:
    """One command per line; if there are too many, only their number by kind."""
    yield from unseen_note(answer.unseen)
    if answer.kinds:
        yield from kind_count_blocks(answer)
        return
    for command_text in answer.legal if answer.legal is not None else [str(answer.count)]:
        yield [(command_text, "")]
    if not answer.count and answer.position.over:
        yield Note(f"the game is over: {answer.position.status} (`{typed(screen, 'new')}` begins another one)")
    elif not answer.count and (answer.legal is not None or answer.beginning):
        yield Note(f"no command with this beginning is legal: {answer.position.status}")


def kind_count_blocks(answer: LegalAnswer) -> Iterator[Block]:
    """How many commands there are of each kind, and how to see more."""
    width = max(map(len, answer.kinds))
    for kind, count in answer.kinds.items():
        yield [(f"{count:>6}  ", "dim"), (kind.ljust(width), "cyan")]
    largest_kind = max(answer.kinds, key=lambda kind: answer.kinds[kind])
    yield [(f"{answer.count} in all; words narrow it down (legal {largest_kind}), --all lists everything", "dim")]


def plan_blocks(answer: PlanAnswer, _: Screen) -> Iterator[Block]:
    """Plans with their prices."""
    yield from question_tables(answer.position, answer.plan, answer.unseen)
    if not any(table.rows for table in answer.plan):
        yield Note("there is nothing to plan")


def typed(screen: Screen, command: str) -> str:
    """A command as it is typed here: in the shell the program's name goes first."""
    return command if screen.in_session else f"{program_name()} {command}"


def advice_blocks(answer: AdviceAnswer, screen: Screen) -> Iterator[Block]:
    """One command per line, with what it brings below it."""
    yield place_line(answer.position)
    yield from unseen_note(answer.unseen)
    for advised_command in answer.advice:
        yield [(advised_command.text, "bold")]
        yield [("    ", ""), (" · ".join(advised_command.brings), "dim")]
    if answer.position.over:
        yield Note(f"the game is over (`{typed(screen, 'new')}` begins another one)")
    elif not answer.advice:
        yield Note(
            "nothing stands out"
            + (f": `{typed(screen, 'legal')}` lists what can be played" if answer.position.to_move else "")
        )


def preview_blocks(answer: PreviewAnswer, screen: Screen) -> Iterator[Block]:
    """What the command, or the end of the round, would bring."""
    yield from question_tables(answer.position, answer.preview, answer.unseen)
    if not screen.is_failure and not any(table.rows for table in answer.preview):
        next_step = (
            f"`{typed(screen, 'try')}` shows what it does" if answer.text else "the game is over, or has not begun"
        )
        yield Note(f"there is nothing more to tell: {next_step}")


def question_tables(position: PositionDocument, tables: Sequence[Table], seat: Seat | None) -> Iterator[Block]:
    """The game's answer to a question, which may be about a seat with hidden cards."""
    yield place_line(position)
    yield from unseen_note(seat)
    yield from table_blocks(tables, position.colours)


def unseen_note(seat: Seat | None) -> Iterator[Block]:
    """A note, if an answer depends on hidden cards."""
    if seat is not None:
        yield Note(f"not all of {seat}'s cards can be seen: --as {seat} answers in full")


def explain_blocks(answer: ExplainAnswer, _: Screen) -> Iterator[Block]:
    """The broken rules, or the result of the command."""
    if not answer.legal:
        yield from broken_rules(answer)
        return
    yield [("legal: ", "bold green"), (answer.explain, "bold"), (f"  {answer.summary}", "italic dim")]
    yield from fact_lines(answer.facts or ())
    yield from table_blocks(answer.preview or (), answer.position.colours)
    yield from other_readings(answer)


def other_readings(answer: ExplainAnswer) -> Iterator[Block]:
    """Readings that decide otherwise: the verdict, the rulebook's words, and how they are read."""
    if answer.both is None:
        return
    if not answer.both:
        yield [("the same under every reading of the rules that a game can choose", "dim")]
    for verdict_document in answer.both:
        verdict_text = {True: "legal", False: "not legal", None: "hidden"}[verdict_document.legal]
        yield [("otherwise ", ""), (verdict_text, "bold"), (f", with {verdict_document.option}", "cyan")]
        for text in (*verdict_document.broken, *verdict_document.facts):
            yield [(f"    {text}", "")]
        yield [("    ", ""), (f'{verdict_document.code}: "{verdict_document.words}"', "dim")]
        yield [("    ", ""), (f"read as: {verdict_document.reading}", "dim")]


def broken_rules(answer: ExplainAnswer) -> Iterator[Block]:
    """Each broken rule: the reason, and its text and section if any. The error that follows says what to type."""
    verdict_text = "hidden: " if answer.legal is None else "not legal: "
    yield [(verdict_text, "bold red"), (answer.explain, "bold")]
    for rule in answer.broken or ():
        yield [(f"  {rule.code + ' ':<10}", "yellow"), (rule.reason, "")]
        if rule.text:
            yield [(" " * 12, ""), (f"the rule: {rule.text}", "dim")]
        if rule.section:
            yield [(" " * 12, ""), (f"{section_label(rule.source)}: {rule.section}", "dim")]
    yield from other_readings(answer)


RENDERERS: Renderers = {
    PlayAnswer: played_moves_blocks,
    ArenaAnswer: arena_results_blocks,
    BotAnswer: bot_moves_blocks,
    RunAnswer: run_summary_blocks,
    SweepAnswer: sweep_blocks,
    TrialAnswer: trial_blocks,
    LegalAnswer: legal_blocks,
    PlanAnswer: plan_blocks,
    AdviceAnswer: advice_blocks,
    PreviewAnswer: preview_blocks,
    ExplainAnswer: explain_blocks,
}
