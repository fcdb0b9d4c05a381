"""The commands `rules` and `explain`."""

from __future__ import annotations

from collections.abc import Sequence

import click
from msgspec.structs import replace

from zimcli.command import argument, place_command, plain_command
from zimcli.errors import HIDDEN_HINTS, answer_is_no, hidden_problem
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
    code, known = " ".join(words), session.all_rules
    if not known:
        raise GameError("rules", f"{session.current_game.title} has no rules to look up", ["legal", "help"])
    if recorded and not disputed:
        raise click.UsageError("--recorded needs --disputed.")
    if disputed:
        from zimcli.disputes import readings

        return readings(session, code, recorded)
    rules = tuple(rule for rule in known if rule.code.upper().startswith(code.upper()))
    return RulesAnswer(rules) if rules else search_rules(session, code.lower())


def search_rules(session: Session, word: str) -> RulesAnswer:
    """Rules, cards and commands that contain a word. Raises `GameError` if there are none."""
    known = session.all_rules
    if "-" in word:
        parts = dict.fromkeys(rule.code.rpartition("-")[0] for rule in known)
        raise GameError(f"no rule {word}", "codes begin with " + ", ".join(parts), ["rules"])
    answer = RulesAnswer(
        tuple(rules_with(known, word.replace("_", " "))),
        table_documents(
            cards_of(session, word) or cards_with(session, word.replace(" ", "_")) or cards_with(session, word)
        ),
        {entry.name: entry.help for entry in ENTRIES if word in f"{entry.name} {entry.help.lower()}"},
    )
    if answer == RulesAnswer(()):
        found = {each: len(rules_with(known, each)) for each in word.split() if len(each) > 2}
        single = sorted((each for each in found if found[each] and " " in word), key=lambda each: found[each])
        hints = [f"rules {each}" for each in [*similar_names(word, topics(known)), *single][:3]] or ["rules", "help"]
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
    position, trial = session.position(place), session.service.try_(place, [text], session.viewer)
    said = log_text(session, place, text)
    others = other_verdicts(session, position, place, text, trial) if both else None
    if trial.refused:
        begun = session.service.position(f"{position.match}@start", session.viewer)
        raise FailedError(not_legal(position, begun, said, trial.refused, others), refusal_error(said, trial.refused))
    if trial.hidden:
        raise hidden_problem(said, trial.hidden)
    after = trial.positions[-1].commit
    return ExplainAnswer(
        position=position_document(position),
        explain=said,
        legal=True,
        summary=after.summary,
        facts=tuple(map(position.game.notation.describe, after.events[1:])),
        preview=table_documents(preview_tables(position, text)),
        both=others,
    )


def other_verdicts(
    session: Session, position: Position, place: str, text: str, trial: Trial
) -> tuple[OtherVerdict, ...]:
    """The verdicts under other readings that differ from the verdict here."""
    from zimcore.history.disputed_readings import verdicts

    describe = position.game.notation.describe
    seat, said = session.service.parse(place, text, session.viewer)
    codes = tuple(each.code for each in trial.refused.refusals) if trial.refused else ()
    facts = tuple(map(describe, trial.positions[-1].commit.events[1:])) if trial.positions else ()
    found = list[OtherVerdict]()
    for rule, option, answer in verdicts(position.game, session.service.log(place, viewer=session.viewer), seat, said):
        reading = rule.reading.other if rule.reading and option in rule.reading.options else rule.text
        other = OtherVerdict(rule.code, rule.words, rule.section, reading, option, legal=True)
        if isinstance(answer, Refused):
            if codes != tuple(each.code for each in answer.refusals):
                broken = tuple(f"{each.code} {each.reason}".strip() for each in answer.refusals)
                found.append(replace(other, legal=None if answer.all_hidden else False, broken=broken))
        elif codes or facts != tuple(map(describe, answer.events)):
            changed = (each for each in map(describe, answer.events) if each not in facts)
            found.append(replace(other, facts=tuple(changed)))
    return tuple(found)


def preview_tables(position: Position, text: str) -> Sequence[Table]:
    """What the command would bring, if the game can say, and what the cards in it do."""
    questions, names = position.game.questions, text.split()[1:]
    wanted = [("preview", text.split()), ("cards", names)] if names else [("preview", text.split())]
    return [
        table
        for question, words in wanted
        if question in questions.QUESTIONS
        for table in questions.ask(position.state, question, words)
    ]


def not_legal(
    position: Position, begun: Position, said: str, refused: Refused, both: tuple[OtherVerdict, ...] | None = None
) -> ExplainAnswer:
    """The answer for an illegal command: the broken rules that the viewer may know, each with the reason."""
    return ExplainAnswer(
        position=position_document(position),
        explain=said,
        legal=None if refused.all_hidden else False,
        broken=tuple(broken_rules(position, begun, refused)),
        hints=HIDDEN_HINTS if refused.all_hidden else refused.hints,
        both=both,
    )


def refusal_error(said: str, refused: Refused) -> ProblemError:
    """The refusal as an error, without the reasons, which the answer has."""
    kind, hints = ("hidden", HIDDEN_HINTS) if refused.all_hidden else ("refused", refused.hints)
    return answer_is_no(kind, said, [], hints)


def broken_rules(position: Position, begun: Position, refused: Refused) -> Sequence[BrokenRule]:
    """The broken rules with their reasons, in the rulebook's words or, under a house rule, in those of its reading."""
    options = dict(getattr(begun.commit.command, "options", ()))
    chosen = {f"{option}={text}" for option, text in options.items()}

    def reading_text(rule: Rule) -> str:
        other = rule.reading and chosen.intersection(rule.reading.options)
        return rule.reading.other if rule.reading and other else rule.text

    by_code = {rule.code: rule for rule in position.game.texts.rules()}
    none = Rule("", "", "")  # the texts of a game may lack the rule
    found = [(refusal, by_code.get(refusal.code, none)) for refusal in refused.refusals]
    return [
        BrokenRule(refusal.code, refusal.reason, reading_text(rule), rule.section, rule.source)
        for refusal, rule in found
    ]
