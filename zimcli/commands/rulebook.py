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
@click.option("--disputed", is_flag=True, help="Show all disputed readings, and where they matter.")
@click.option("--recorded", multiple=True, metavar="FILE", help="With --disputed: try these logs, not the store.")
def rules(session: Session, words: tuple[str, ...], disputed: bool, recorded: tuple[str, ...]) -> RulesAnswer:
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
    code, all_rules = " ".join(words), session.all_rules
    if not all_rules:
        raise GameError("rules", f"{session.current_game.title} has no rules to look up", ["legal", "help"])
    if recorded and not disputed:
        raise click.UsageError("--recorded needs --disputed.")
    if disputed:
        from zimcli.disputes import replay_readings

        return replay_readings(session, code, recorded)
    rules = tuple(rule for rule in all_rules if rule.code.upper().startswith(code.upper()))
    return RulesAnswer(rules) if rules else search_rules(session, code.lower())


def search_rules(session: Session, word: str) -> RulesAnswer:
    """Rules, cards and commands that contain a word. Raises `GameError` if there are none."""
    all_rules = session.all_rules
    if "-" in word:
        parts = dict.fromkeys(rule.code.rpartition("-")[0] for rule in all_rules)
        raise GameError(f"no rule {word}", "codes begin with " + ", ".join(parts), ["rules"])
    answer = RulesAnswer(
        tuple(rules_with(all_rules, word.replace("_", " "))),
        table_documents(
            cards_of(session, word) or cards_with(session, word.replace(" ", "_")) or cards_with(session, word)
        ),
        {entry.name: entry.help for entry in ENTRIES if word in f"{entry.name} {entry.help.lower()}"},
    )
    if answer == RulesAnswer(()):
        match_counts = {each: len(rules_with(all_rules, each)) for each in word.split() if len(each) > 2}
        found_words = sorted(
            (each for each in match_counts if match_counts[each] and " " in word), key=lambda each: match_counts[each]
        )
        hints = [f"rules {each}" for each in [*similar_names(word, topics(all_rules)), *found_words][:3]] or [
            "rules",
            "help",
        ]
        raise GameError(f"nothing about {word}", "no rule, card or command mentions it", hints)
    return answer


@place_command()
@argument("words", nargs=-1, required=True, metavar="COMMAND")
@click.option("--both", is_flag=True, help="Also try the other readings of disputed rules.")
def explain(session: Session, place: str, words: tuple[str, ...], both: bool) -> ExplainAnswer:
    """Explain whether a command is legal, and why.

    If it is legal, you see its result and its facts. If not, you see every rule that it breaks, in the rulebook's
    words, and what would be legal; the exit code is 1. If that depends on cards that you can't see, it says so.

    --both checks every disputed reading the other way, too. If the verdict changes, you see the rulebook's words, the
    other reading, and the option of `new` that plays it.

    Example::

        zim explain kilwa-7 "bid 3"
    """
    text = " ".join(words)
    position, try_result = session.position(place), session.service.try_(place, [text], session.viewer)
    commands_text = log_text(session, place, text)
    other_verdicts_ = other_verdicts(session, position, place, text, try_result) if both else None
    if try_result.refused:
        start = session.service.position(f"{position.match}@start", session.viewer)
        raise FailedError(
            not_legal(position, start, commands_text, try_result.refused, other_verdicts_),
            refusal_error(commands_text, try_result.refused),
        )
    if try_result.hidden:
        raise hidden_problem(commands_text, try_result.hidden)
    commit_after = try_result.positions[-1].commit
    return ExplainAnswer(
        position=position_document(position),
        explain=commands_text,
        legal=True,
        summary=commit_after.summary,
        facts=tuple(map(position.game.notation.describe, commit_after.events[1:])),
        preview=table_documents(preview_tables(position, text)),
        both=other_verdicts_,
    )


def other_verdicts(
    session: Session, position: Position, place: str, text: str, try_result: Trial
) -> tuple[OtherVerdict, ...]:
    """The verdicts under other readings that differ from the verdict here."""
    from zimcore.history.disputed_readings import verdicts

    describe = position.game.notation.describe
    seat, command = session.service.parse(place, text, session.viewer)
    codes = tuple(each.code for each in try_result.refused.refusals) if try_result.refused else ()
    facts = tuple(map(describe, try_result.positions[-1].commit.events[1:])) if try_result.positions else ()
    results = list[OtherVerdict]()
    for rule, option, answer in verdicts(
        position.game, session.service.log(place, viewer=session.viewer), seat, command
    ):
        reading = rule.reading.other if rule.reading and option in rule.reading.options else rule.text
        verdict = OtherVerdict(rule.code, rule.words, rule.section, reading, option, legal=True)
        if isinstance(answer, Refused):
            if codes != tuple(each.code for each in answer.refusals):
                reasons = tuple(f"{each.code} {each.reason}".strip() for each in answer.refusals)
                results.append(replace(verdict, legal=None if answer.all_hidden else False, broken=reasons))
        elif codes or facts != tuple(map(describe, answer.events)):
            changes = (each for each in map(describe, answer.events) if each not in facts)
            results.append(replace(verdict, facts=tuple(changes)))
    return tuple(results)


def preview_tables(position: Position, text: str) -> Sequence[Table]:
    """What the command would bring, if the game can say, and what the cards in it do."""
    questions, names = position.game.questions, text.split()[1:]
    asked_questions = [("preview", text.split()), ("cards", names)] if names else [("preview", text.split())]
    return [
        table
        for question, words in asked_questions
        if question in questions.QUESTIONS
        for table in questions.ask(position.state, question, words)
    ]


def not_legal(
    position: Position,
    start: Position,
    move_text: str,
    refusal: Refused,
    differing: tuple[OtherVerdict, ...] | None = None,
) -> ExplainAnswer:
    """The answer for an illegal command: the broken rules that the viewer may know, each with the reason."""
    return ExplainAnswer(
        position=position_document(position),
        explain=move_text,
        legal=None if refusal.all_hidden else False,
        broken=tuple(broken_rules(position, start, refusal)),
        hints=HIDDEN_HINTS if refusal.all_hidden else refusal.hints,
        both=differing,
    )


def refusal_error(move_text: str, refusal: Refused) -> ProblemError:
    """The refusal as an error, without the reasons, which the answer has."""
    kind, hints = ("hidden", HIDDEN_HINTS) if refusal.all_hidden else ("refused", refusal.hints)
    return negative_answer_problem(kind, move_text, [], hints)


def broken_rules(position: Position, start: Position, refused_command: Refused) -> Sequence[BrokenRule]:
    """The broken rules with their reasons, in the rulebook's words or, under a house rule, in those of its reading."""
    options = dict(getattr(start.commit.command, "options", ()))
    chosen_options = {f"{option}={text}" for option, text in options.items()}

    def reading_text(rule: Rule) -> str:
        is_other_reading = rule.reading and chosen_options.intersection(rule.reading.options)
        return rule.reading.other if rule.reading and is_other_reading else rule.text

    by_code = {rule.code: rule for rule in position.game.texts.rules()}
    no_rule = Rule("", "", "")  # the texts of a game may lack the rule
    rules_broken = [(refusal, by_code.get(refusal.code, no_rule)) for refusal in refused_command.refusals]
    return [
        BrokenRule(refusal.code, refusal.reason, reading_text(rule), rule.section, rule.source)
        for refusal, rule in rules_broken
    ]
