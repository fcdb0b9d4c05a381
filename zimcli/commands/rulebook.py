"""The rules: looked up, and what they say of a command."""

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
from zimcore.service.places import alike
from zimcore.service.results import Trial


@plain_command()
@argument("words", nargs=-1, metavar="[CODE|WORD...]")
@click.option("--disputed", is_flag=True, help="Show all readings, and where the other one would have mattered.")
@click.option("--recorded", multiple=True, metavar="FILE", help="With --disputed: try these games, not the store's.")
def rules(session: Session, words: tuple[str, ...], disputed: bool, recorded: tuple[str, ...]) -> RulesAnswer:
    """Look up a rule, or search for a word.

    CODE is the name of a rule, or its beginning; any other WORD is searched for in the rules, on the cards and in the
    help of the commands. Without one all rules are listed. Outside a session those of every game are looked up. One
    rule alone is shown with its place in the rulebook, the words that it rests on and the commands that it guards; a
    reading also with the other way to read these words.

    --disputed shows all readings on one page: the words, our reading, the other one, and the option of `new` that plays
    it, if there is one. Each option is tried on the games of the store, or of --recorded logs and folders of them: in
    how many would a move have been refused, or come to something else? What it would have allowed, and nobody tried, is
    not counted.

    Example::

        zim rules R-CRA-06
    """
    code, known = " ".join(words), session.all_rules
    if not known:
        raise GameError("rules", f"{session.current_game.title} has none to be looked up", ["legal", "help"])
    if recorded and not disputed:
        raise click.UsageError("--recorded goes with --disputed.")
    if disputed:
        from zimcli.disputes import readings

        return readings(session, code, recorded)
    rules = tuple(rule for rule in known if rule.code.upper().startswith(code.upper()))
    return RulesAnswer(rules) if rules else search_rules(session, code.lower())


def search_rules(session: Session, word: str) -> RulesAnswer:
    """Rules, cards and commands with a word."""
    known = session.all_rules
    if "-" in word:
        parts = dict.fromkeys(rule.code.rpartition("-")[0] for rule in known)
        raise GameError(f"no rule {word}", "the rules of the parts of the game begin " + ", ".join(parts), ["rules"])
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
        hints = [f"rules {each}" for each in [*alike(word, topics(known)), *single][:3]] or ["rules", "help"]
        raise GameError(f"nothing about {word}", "it is in no rule, on no card and in no command's help", hints)
    return answer


@place_command()
@argument("words", nargs=-1, required=True, metavar="COMMAND")
@click.option("--both", is_flag=True, help="Show where another reading of a rule would decide otherwise.")
def explain(session: Session, place: str, words: tuple[str, ...], both: bool) -> ExplainAnswer:
    """Explain whether a command is legal, and why.

    If it is, what it would come to, with its facts; if not, every rule that it breaks, as the rulebook has it, what
    would be legal, and exit code 1. Where that depends on cards that you can't see, it says so.

    --both asks every disputed reading the other way too: where the verdict would be another one, it is shown with the
    words of the rulebook, the other reading of them, and the option of `new` that plays it.

    Example::

        zim explain kilwa-7 "bid 3"
    """
    text = " ".join(words)
    here, trial = session.position(place), session.service.try_(place, [text], session.viewer)
    said = log_text(session, place, text)
    others = other_verdicts(session, here, place, text, trial) if both else None
    if trial.refused:
        begun = session.service.position(f"{here.match}@start", session.viewer)
        raise FailedError(not_legal(here, begun, said, trial.refused, others), no(said, trial.refused))
    if trial.hidden:
        raise hidden_problem(said, trial.hidden)
    after = trial.positions[-1].commit
    return ExplainAnswer(
        position=position_document(here),
        explain=said,
        legal=True,
        summary=after.summary,
        facts=tuple(map(here.game.notation.describe, after.events[1:])),
        preview=table_documents(preview_tables(here, text)),
        both=others,
    )


def other_verdicts(session: Session, here: Position, place: str, text: str, trial: Trial) -> tuple[OtherVerdict, ...]:
    """The verdicts of other readings that are not the one here."""
    from zimcore.history.disputed_readings import verdicts

    describe = here.game.notation.describe
    seat, said = session.service.parse(place, text, session.viewer)
    codes = tuple(each.code for each in trial.refused.refusals) if trial.refused else ()
    facts = tuple(map(describe, trial.positions[-1].commit.events[1:])) if trial.positions else ()
    found = list[OtherVerdict]()
    for rule, option, answer in verdicts(here.game, session.service.log(place, viewer=session.viewer), seat, said):
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
    """What the command would bring, where the game can tell, and what the cards do that it names."""
    questions, names = position.game.questions, text.split()[1:]
    asked = [("preview", text.split()), ("cards", names)] if names else [("preview", text.split())]
    return [
        table
        for question, words in asked
        if question in questions.QUESTIONS
        for table in questions.ask(position.state, question, words)
    ]


def not_legal(
    here: Position, begun: Position, said: str, refused: Refused, both: tuple[OtherVerdict, ...] | None = None
) -> ExplainAnswer:
    """The rules that are broken, each with the reason, as far as they may be known."""
    return ExplainAnswer(
        position=position_document(here),
        explain=said,
        legal=None if refused.all_hidden else False,
        broken=tuple(broken(here, begun, refused)),
        hints=HIDDEN_HINTS if refused.all_hidden else refused.hints,
        both=both,
    )


def no(said: str, refused: Refused) -> ProblemError:
    """The same as an error, without the reasons: the answer has them."""
    kind, hints = ("hidden", HIDDEN_HINTS) if refused.all_hidden else ("refused", refused.hints)
    return answer_is_no(kind, said, [], hints)


def broken(here: Position, begun: Position, refused: Refused) -> Sequence[BrokenRule]:
    """The rules that are broken, each with the reason: as they stand in the rulebook, or as this table reads them."""
    options = dict(getattr(begun.commit.command, "options", ()))
    chosen = {f"{option}={text}" for option, text in options.items()}

    def reading_text(rule: Rule) -> str:
        other = rule.reading and chosen.intersection(rule.reading.options)
        return rule.reading.other if rule.reading and other else rule.text

    by_code = {rule.code: rule for rule in here.game.texts.rules()}
    none = Rule("", "", "")  # a game need not have written its rules down
    found = [(refusal, by_code.get(refusal.code, none)) for refusal in refused.refusals]
    return [
        BrokenRule(refusal.code, refusal.reason, reading_text(rule), rule.section, rule.source)
        for refusal, rule in found
    ]
