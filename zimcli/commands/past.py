"""Commands about the past of a line: `stats`, `story`, `compare`, `why`, `bisect`, `expect`."""

from __future__ import annotations

from msgspec.structs import replace

from zimcli.analysis_cache import judgement_documents, known_judgements
from zimcli.bisect_run import RUN_WORD, BisectCommand, bisect_run
from zimcli.command import argument, place_command
from zimcli.errors import negative_answer_problem
from zimcli.exit_codes import FailedError
from zimcli.render.figures import figures_text
from zimcli.session import Session
from zimcli.typed_words import names_a_place
from zimcore.documents.analysis import WhyChanceAnswer, accuracy_table
from zimcore.documents.history import BisectAnswer, CompareAnswer, StoryAnswer, WhyAnswer
from zimcore.documents.look import StatisticsAnswer
from zimcore.documents.positions import position_document
from zimcore.documents.storage import ExpectAnswer
from zimcore.documents.tables import table_documents
from zimcore.history import parse
from zimcore.history.history_documents import bisect_answer, compare_answer, story_answer, why_answer


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
    return replace(story_answer(position, commits), judged=judgements)


@place_command()
def stats(session: Session, place: str) -> StatisticsAnswer:
    """Show the statistics of a game.

    Shows VP by round and source, cattle spent and gained, and what each craftsman and card earned, up to a position. If
    the game was analysed (see `analyse`), it also shows how well each player has played.

    Example::

        zim stats kilwa-7
    """
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


@place_command()
@argument("other", metavar="B")
def compare(session: Session, place: str, other: str) -> CompareAnswer:
    """Show how two lines or positions differ.

    From the round where they part, shows for each round what both played, the figures that differ at its end, what each
    player paid and received, and the squares that differ. The totals come last. In a session, name only B to compare it
    with the current line; B may be a short name, such as a line of the same game.

    Example::

        zim compare kilwa-7/main what-if
    """
    first_position = session.position(place)
    second_place = session.place_with_line(
        session.complete_place(other, f"{first_position.match}/{first_position.line}")
    )
    return compare_answer(first_position, session.position(second_place), session.log(place), session.log(second_place))


@place_command(ignore_unknown_options=True)
@argument("words", nargs=-1, required=True, metavar="SUBJECT [PLACE]")
def why(session: Session, place: str, words: tuple[str, ...]) -> WhyAnswer | WhyChanceAnswer:
    """Explain how a value came about, newest change first.

    SUBJECT is a square (d7), a figure (kilwa.cattle, kilwa.vr, kilwa.potter.price) or any other expression over a
    position. Each line is an event that changed the value. For cattle this is the ledger of an account, with the
    balance after each entry. For a chance to win (zulu.chance) it shows which terms of the position make it up, and the
    turns that changed it most.

    Example::

        zim why kilwa-7 kilwa.cattle @20
    """
    if len(words) > 1 and names_a_place(words[-1]):
        place, words = session.place_with_line(session.complete_place(words[-1], place)), words[:-1]
    position, commits, subject = session.position(place), session.log(place), " ".join(words)
    if ".chance" in subject.lower():
        from zimcore.analysis.chance_reasons import seat_of, why_chance

        if seat := seat_of(subject, position.seats):
            session.check_help_allowed(place)
            return why_chance(position, commits, seat)
    return why_answer(position, commits, subject)


@place_command(command_class=BisectCommand, ignore_unknown_options=True)
@argument("words", nargs=-1, required=True, metavar="EXPRESSION | run PROGRAM...")
def bisect(session: Session, place: str, words: tuple[str, ...]) -> BisectAnswer:
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
    if words[0] == RUN_WORD:
        return bisect_run(session, place, words[1:])
    expression = " ".join(words)
    answer = bisect_answer(
        session.position(place), session.log(place), expression, session.values_reader(expression, place)
    )
    if not answer.first and not answer.at_start:
        raise FailedError(answer, negative_answer_problem("never", answer.bisect, [figures_text(answer.end)], ["show"]))
    return answer


@place_command(ignore_unknown_options=True)
@argument("words", nargs=-1, required=True, metavar="EXPRESSION")
def expect(session: Session, place: str, words: tuple[str, ...]) -> ExpectAnswer:
    """Fail unless an expression is true.

    EXPRESSION is about the position: zulu.vp == 7, winner == kilwa, leader() == zulu and round >= 4; see `help
    expressions`. Exits with 1 if it is false, which stops a script.

    Example::

        zim expect kilwa-7 "zulu.vp >= mutapa.vp"
    """
    position, expression = session.position(place), parse(" ".join(words))
    position_values = session.values_reader(expression.text, place)(position.game, position.state)
    figure_values = dict(expression.named_values(position_values))
    answer = ExpectAnswer(
        expression.text, expression.holds(position_values), figure_values, position_document(position)
    )
    if not answer.holds:
        values_text = figures_text(figure_values)
        raise FailedError(
            answer, negative_answer_problem("not so", expression.text, [values_text] if values_text else [], ["show"])
        )
    return answer
