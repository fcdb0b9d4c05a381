"""Commands about the past of a line: `stats`, `story`, `compare`, `why`, `bisect`, `expect`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from msgspec.structs import replace

from zimcli.output.errors import negative_answer_problem
from zimcli.render.figures import figures_text
from zimcli.session.analysis_cache import judgement_documents, known_judgements
from zimcli.session.bisect_run import RUN_WORD, BisectCommand, bisect_run
from zimcli.session.command import PlaceCommand, argument, declare_command, place_command, viewer_options
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcli.shell.typed_words import names_a_place
from zimcli.study.recorded_files import recordings_in_folder, sheet_option
from zimcore.documents.analysis import WhyChanceAnswer, accuracy_table
from zimcore.documents.history import BisectAnswer, CompareAnswer, StoryAnswer, WhyAnswer
from zimcore.documents.look import AllStatisticsAnswer, StatisticsAnswer
from zimcore.documents.positions import position_document
from zimcore.documents.storage import ExpectAnswer
from zimcore.documents.tables import table_documents
from zimcore.history import parse
from zimcore.history.evaluation import ExpressionError
from zimcore.history.history_documents import bisect_answer, compare_answer, story_answer, why_answer
from zimcore.history.match_tables import FinishedMatch, match_tables


@place_command()
def story(session: Session, place: str) -> StoryAnswer:
    """Tell a game round by round.

    Shows each player's turn in a sentence, and the standings at the end of each round. If the game was analysed (see
    `analyse`), the story includes the turning points, the mistakes, and the chances to win.

    Example::

        zim story kilwa-7@r2
    """
    position, commits = session.position(place), session.log(place)
    judgements = judgement_documents(position.game, commits, known_judgements(session, position.game, place, commits))
    return replace(story_answer(position, commits, session.notes(place, commits)), judged=judgements)


class StatsCommand(PlaceCommand):
    """Takes no place with `--all`, but maybe files."""

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front unless `--all` is among them."""
        return args if "--all" in args else super().with_place(session, args)


@declare_command(None, StatsCommand, {})
@argument("place", required=False)
@argument("files", nargs=-1)
@viewer_options
@click.option("--all", "of_all_games", is_flag=True, help="Count over all finished games, or over saved ones.")
@sheet_option
def stats(
    session: Session, place: str | None, files: tuple[str, ...], of_all_games: bool, sheet: str
) -> StatisticsAnswer | AllStatisticsAnswer:
    """Show the statistics of a game, or of many.

    Shows VP by round and source, cattle spent and gained, and what each craftsman and card earned, up to a position. If
    the game was analysed (see `analyse`), it also shows how well each player has played.

    With --all it counts over all finished games: who wins from which seat and with what, how many rounds games take,
    and by how much they are won. With files or folders it counts over the games saved there (see `import`).

    Example::

        zim stats kilwa-7
        zim stats --all
    """
    if of_all_games:
        return all_statistics(session, [place, *files] if place else (), sheet)
    if not place or files:
        raise click.UsageError("Name one place, or add --all.")
    return statistics_of(session, place)


def statistics_of(session: Session, place: str) -> StatisticsAnswer:
    """The statistics of a game."""
    position, commits = session.position(place), session.log(place)
    events = [event for commit in commits for event in commit.events]
    tables = [*position.game.questions.statistics(events)]
    if judgements := known_judgements(session, position.game, place, commits):
        from zimcore.analysis.analysis_documents import accuracy_documents

        accuracy = accuracy_table(accuracy_documents(judgements))
        last_number = judgements[-1].decision.last
        tables.append(
            accuracy if last_number == commits[-1].number else replace(accuracy, title=f"Accuracy up to @{last_number}")
        )
    return StatisticsAnswer(position_document(position), table_documents(tables))


def all_statistics(session: Session, paths: Sequence[str], sheet: str) -> AllStatisticsAnswer:
    """The tables over all finished games of the store, or over the saved games in files and folders."""
    matches = [*(saved_matches(session, paths, sheet) if paths else stored_matches(session))]
    by_kind = {match.game.name: [each for each in matches if each.game.name == match.game.name] for match in matches}
    tables = [
        replace(table, title=f"{table.title} ({kind})") if len(by_kind) > 1 else table
        for kind, own_matches in by_kind.items()
        for table in match_tables(own_matches)
    ]
    return AllStatisticsAnswer(len(matches), table_documents(tables))


def saved_matches(session: Session, paths: Sequence[str], sheet: str) -> Iterator[FinishedMatch]:
    """The finished ones of the games saved in files and folders. One that was saved twice counts once."""
    known_games = set[str]()
    for path in paths:
        for game, recording in recordings_in_folder(session, path, sheet):
            key = repr((recording.setup, [(move.seat, move.command) for move in recording.moves]))
            if key in known_games:
                continue
            known_games.add(key)
            outcome = game.evolution.outcome(recording.state)
            winner = next((each.winner for each in recording.leavers if each.winner), "")
            if winner or (outcome.over and not recording.stopped_at):
                yield FinishedMatch(game, recording.state, winner or outcome.winner or "")


def stored_matches(session: Session) -> Iterator[FinishedMatch]:
    """The finished games of the store, each on its current line."""
    for info in session.service.games(session.viewer):
        if not info.damaged and (position := session.position(info.name)).outcome.over:
            yield FinishedMatch(position.game, position.state, position.outcome.winner or "")


@place_command()
@argument("other")
def compare(session: Session, place: str, other: str) -> CompareAnswer:
    """Show how two lines or positions differ.

    From the round where they part, shows for each round what both played, the figures that differ at its end, what each
    player paid and received, and the squares that differ. The totals come last. In a session, name only OTHER to
    compare it with the current line; it may be a short name, such as a line of the same game.

    Example::

        zim compare kilwa-7/main what-if
    """
    first_position = session.position(place)
    second_place = session.place_with_line(
        session.complete_place(other, f"{first_position.match}/{first_position.line}")
    )
    return compare_answer(first_position, session.position(second_place), session.log(place), session.log(second_place))


@place_command(ignore_unknown_options=True)
@argument("subject", nargs=-1, required=True, metavar="SUBJECT [PLACE]")
def why(session: Session, place: str, subject: tuple[str, ...]) -> WhyAnswer | WhyChanceAnswer:
    """Explain how a value came about, newest change first.

    SUBJECT is a square (d7), a figure (kilwa.cattle, kilwa.vr, kilwa.potter.price) or any other expression over a
    position. Each line is an event that changed the value. For cattle this is the ledger of an account, with the
    balance after each entry. For a chance to win (zulu.chance) it shows which terms of the position make it up, and the
    turns that changed it most.

    Example::

        zim why kilwa-7 kilwa.cattle @20
    """
    if len(subject) > 1 and names_a_place(subject[-1]):
        place, subject = session.place_with_line(session.complete_place(subject[-1], place)), subject[:-1]
    position, commits, subject_text = session.position(place), session.log(place), " ".join(subject)
    if ".chance" in subject_text.lower():
        from zimcore.analysis.chance_reasons import seat_of, why_chance

        if seat := seat_of(subject_text, position.seats):
            session.check_help_allowed(place)
            return why_chance(position, commits, seat)
    try:
        return why_answer(position, commits, subject_text)
    except ExpressionError as error:
        if word := session.word_asked_about(subject_text):  # "why bid?" asks about a word of the game
            error.hints = (f"help {word}", *error.hints)
        raise


@place_command(command_class=BisectCommand, ignore_unknown_options=True)
@argument("expression", nargs=-1, required=True, metavar="EXPRESSION | run PROGRAM...")
def bisect(session: Session, place: str, expression: tuple[str, ...]) -> BisectAnswer:
    """Find the first move after which an expression is true.

    EXPRESSION is about a position, as in `expect`. Every move is checked, so the answer is exact even if the value
    comes and goes. A seat's chance to win is zulu.chance, from 0 to 1. Exits with 1 if it never becomes true.

    `run` tests positions with a program of yours instead, as in git: it gets a position on stdin, as `show --json`
    prints it, and exits with 0 for good, 125 to skip it, and up to 127 for bad; anything else stops. Only you can run
    programs, in the shell or at the prompt: scripts and pipes can't.

    Example::

        zim bisect kilwa-7 "zulu.vp > kilwa.vp"
        zim bisect kilwa-7 run grep -q '"round":[1-3],"phase"'
    """
    if expression[0] == RUN_WORD:
        return bisect_run(session, place, expression[1:])
    text = " ".join(expression)
    answer = bisect_answer(session.position(place), session.log(place), text, session.values_reader(text, place))
    if not answer.first and not answer.at_start:
        raise FailedError(answer, negative_answer_problem("never", answer.bisect, [figures_text(answer.end)], ["show"]))
    return answer


@place_command(ignore_unknown_options=True)
@argument("expression", nargs=-1, required=True, metavar="EXPRESSION")
def expect(session: Session, place: str, expression: tuple[str, ...]) -> ExpectAnswer:
    """Fail unless an expression is true.

    EXPRESSION is about the position: zulu.vp == 7, winner == kilwa, leader() == zulu and round >= 4; see `help
    expressions`. Exits with 1 if it is false, which stops a script.

    Example::

        zim expect kilwa-7 "zulu.vp >= mutapa.vp"
    """
    position, parsed = session.position(place), parse(" ".join(expression))
    position_values = session.values_reader(parsed.text, place)(position.game, position.state)
    figure_values = dict(parsed.named_values(position_values))
    answer = ExpectAnswer(parsed.text, parsed.holds(position_values), figure_values, position_document(position))
    if not answer.holds:
        values_text = figures_text(figure_values)
        raise FailedError(
            answer, negative_answer_problem("not so", parsed.text, [values_text] if values_text else [], ["show"])
        )
    return answer
