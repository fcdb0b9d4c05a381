"""The commands `rules` and `explain`."""

from __future__ import annotations

from collections.abc import Sequence

import click
from msgspec.structs import replace

from zimcli.command import argument, place_command, plain_command
from zimcli.errors import HIDDEN_HINTS, hidden_problem, negative_answer_problem
from zimcli.exit_codes import FailedError, ProblemError
from zimcli.playing import log_text
from zimcli.registry import ENTRIES
from zimcli.session import Session
from zimcli.topics import cards_of, cards_with, rules_with, topics
from zimcore.commits import Position
from zimcore.documents.learn import RulesAnswer
from zimcore.documents.play import BrokenRule, ExplainAnswer, OtherVerdict
from zimcore.documents.positions import position_document
from zimcore.documents.tables import table_documents
from zimcore.game import GameError, Refused, Rule, Table
from zimcore.service.places import similar_names
from zimcore.service.results import Trial


@plain_command()
@argument("words", nargs=-1, metavar="[CODE|WORD...]")
@click.option("--disputed", "shows_disputed", is_flag=True, help="Show all disputed readings, and where they matter.")
@click.option(
    "--recorded", "log_paths", multiple=True, metavar="FILE", help="With --disputed: try these logs, not the store."
)
def rules(session: Session, words: tuple[str, ...], shows_disputed: bool, log_paths: tuple[str, ...]) -> RulesAnswer:
    """Look up a rule, or search for a word.

    CODE is the name of a rule, or its beginning. Any other WORD is searched for in the rules, on the cards and in the
    help of the commands. Without either, all rules are listed. Outside a session this covers every game. A single rule
    is shown with its place in the rulebook, the rulebook's words and the commands that it guards; a disputed reading
    also with the other reading.

    --disputed shows all disputed readings on one page: the rulebook's words, our reading, the other reading, and the
    option of `new` that plays it, if there is one. Each option is tried on the games in the store, or on --recorded
    logs and folders of them: in how many would a move be refused, or have another result? Moves that it would have
    allowed, and that were never tried, are not counted.

    Example::

        zim rules R-CRA-06
    """
    code_start, all_rules = " ".join(words), session.all_rules
    if not all_rules:
        raise GameError("rules", f"{session.current_game.title} has no rules to look up", ["legal", "help"])
    if log_paths and not shows_disputed:
        raise click.UsageError("--recorded needs --disputed.")
    if shows_disputed:
        from zimcli.disputes import replay_readings

        return replay_readings(session, code_start, log_paths)
    matching_rules = tuple(rule for rule in all_rules if rule.code.upper().startswith(code_start.upper()))
    return RulesAnswer(matching_rules) if matching_rules else search_rules(session, code_start.lower())


def search_rules(session: Session, search_text: str) -> RulesAnswer:
    """Rules, cards and commands that contain a word. Raises `GameError` if there are none."""
    all_rules = session.all_rules
    if "-" in search_text:
        code_prefixes = dict.fromkeys(rule.code.rpartition("-")[0] for rule in all_rules)
        raise GameError(f"no rule {search_text}", "codes begin with " + ", ".join(code_prefixes), ["rules"])
    answer = RulesAnswer(
        tuple(rules_with(all_rules, search_text.replace("_", " "))),
        table_documents(
            cards_of(session, search_text)
            or cards_with(session, search_text.replace(" ", "_"))
            or cards_with(session, search_text)
        ),
        {entry.name: entry.help for entry in ENTRIES if search_text in f"{entry.name} {entry.help.lower()}"},
    )
    if answer == RulesAnswer(()):
        match_counts = {
            search_word: len(rules_with(all_rules, search_word))
            for search_word in search_text.split()
            if len(search_word) > 2
        }
        found_words = sorted(
            (search_word for search_word in match_counts if match_counts[search_word] and " " in search_text),
            key=lambda search_word: match_counts[search_word],
        )
        hints = [
            f"rules {search_word}" for search_word in [*similar_names(search_text, topics(all_rules)), *found_words][:3]
        ] or [
            "rules",
            "help",
        ]
        raise GameError(f"nothing about {search_text}", "no rule, card or command mentions it", hints)
    return answer


@place_command()
@argument("words", nargs=-1, required=True, metavar="COMMAND")
@click.option("--both", "tries_other_readings", is_flag=True, help="Also try the other readings of disputed rules.")
def explain(session: Session, place: str, words: tuple[str, ...], tries_other_readings: bool) -> ExplainAnswer:
    """Explain whether a command is legal, and why.

    If it is legal, you see its result and its facts. If not, you see every rule that it breaks, in the rulebook's
    words, and what would be legal; the exit code is 1. If that depends on cards that you can't see, it says so.

    --both checks every disputed reading the other way, too. If the verdict changes, you see the rulebook's words, the
    other reading, and the option of `new` that plays it.

    Example::

        zim explain kilwa-7 "bid 3"
    """
    command_text = " ".join(words)
    position, trial = session.position(place), session.service.try_(place, [command_text], session.viewer)
    logged_text = log_text(session, place, command_text)
    verdicts_by_reading = (
        differing_verdicts(session, position, place, command_text, trial) if tries_other_readings else None
    )
    if trial.refused:
        first_position = session.service.position(f"{position.match}@start", session.viewer)
        raise FailedError(
            illegal_answer(position, first_position, logged_text, trial.refused, verdicts_by_reading),
            refusal_error(logged_text, trial.refused),
        )
    if trial.hidden:
        raise hidden_problem(logged_text, trial.hidden)
    commit_after = trial.positions[-1].commit
    return ExplainAnswer(
        position=position_document(position),
        explain=logged_text,
        legal=True,
        summary=commit_after.summary,
        facts=tuple(map(position.game.notation.describe, commit_after.events[1:])),
        preview=table_documents(preview_tables(position, command_text)),
        both=verdicts_by_reading,
    )


def differing_verdicts(
    session: Session, position: Position, place: str, command_text: str, trial: Trial
) -> tuple[OtherVerdict, ...]:
    """The verdicts under other readings that differ from the verdict here."""
    from zimcore.history.disputed_readings import verdicts

    describe = position.game.notation.describe
    seat, command = session.service.parse(place, command_text, session.viewer)
    codes_here = tuple(refusal.code for refusal in trial.refused.refusals) if trial.refused else ()
    facts_here = tuple(map(describe, trial.positions[-1].commit.events[1:])) if trial.positions else ()
    other_verdicts = list[OtherVerdict]()
    for rule, option, decision in verdicts(
        position.game, session.service.log(place, viewer=session.viewer), seat, command
    ):
        reading = rule.reading.other if rule.reading and option in rule.reading.options else rule.text
        verdict = OtherVerdict(rule.code, rule.words, rule.section, reading, option, legal=True)
        if isinstance(decision, Refused):
            if codes_here != tuple(refusal.code for refusal in decision.refusals):
                reasons = tuple(f"{refusal.code} {refusal.reason}".strip() for refusal in decision.refusals)
                other_verdicts.append(replace(verdict, legal=None if decision.all_hidden else False, broken=reasons))
        elif codes_here or facts_here != tuple(map(describe, decision.events)):
            new_facts = (fact for fact in map(describe, decision.events) if fact not in facts_here)
            other_verdicts.append(replace(verdict, facts=tuple(new_facts)))
    return tuple(other_verdicts)


def preview_tables(position: Position, command_text: str) -> Sequence[Table]:
    """What the command would bring, if the game can say, and what the cards in it do."""
    questions, card_names = position.game.questions, command_text.split()[1:]
    asked_questions = (
        [("preview", command_text.split()), ("cards", card_names)]
        if card_names
        else [("preview", command_text.split())]
    )
    return [
        table
        for question, words in asked_questions
        if question in questions.QUESTIONS
        for table in questions.ask(position.state, question, words)
    ]


def illegal_answer(
    position: Position,
    first_position: Position,
    move_text: str,
    refusal: Refused,
    other_verdicts: tuple[OtherVerdict, ...] | None = None,
) -> ExplainAnswer:
    """The answer for an illegal command: the broken rules that the viewer may know, each with the reason."""
    return ExplainAnswer(
        position=position_document(position),
        explain=move_text,
        legal=None if refusal.all_hidden else False,
        broken=tuple(broken_rules(position, first_position, refusal)),
        hints=HIDDEN_HINTS if refusal.all_hidden else refusal.hints,
        both=other_verdicts,
    )


def refusal_error(move_text: str, refusal: Refused) -> ProblemError:
    """The refusal as an error, without the reasons, which the answer has."""
    kind, hints = ("hidden", HIDDEN_HINTS) if refusal.all_hidden else ("refused", refusal.hints)
    return negative_answer_problem(kind, move_text, [], hints)


def broken_rules(position: Position, first_position: Position, refused: Refused) -> Sequence[BrokenRule]:
    """The broken rules with their reasons, in the rulebook's words or, under a house rule, in those of its reading."""
    options = dict(getattr(first_position.commit.command, "options", ()))
    chosen_options = {f"{option}={text}" for option, text in options.items()}

    def reading_text(rule: Rule) -> str:
        is_other_reading = rule.reading and chosen_options.intersection(rule.reading.options)
        return rule.reading.other if rule.reading and is_other_reading else rule.text

    rules_by_code = {rule.code: rule for rule in position.game.texts.rules()}
    no_rule = Rule("", "", "")  # the texts of a game may lack the rule
    refusals_with_rules = [(refusal, rules_by_code.get(refusal.code, no_rule)) for refusal in refused.refusals]
    return [
        BrokenRule(refusal.code, refusal.reason, reading_text(rule), rule.section, rule.source)
        for refusal, rule in refusals_with_rules
    ]
