"""The commands `rules` and `explain`."""

from __future__ import annotations

from collections.abc import Sequence

import click
from msgspec.structs import replace

from zimcli.output.errors import HIDDEN_HINTS, hidden_problem, negative_answer_problem
from zimcli.session.command import argument, place_command, plain_command
from zimcli.session.playing import log_text
from zimcli.session.session import Session
from zimcli.session.topics import cards_of, cards_with, meanings_of, rules_with, topics
from zimcli.shell.exit_codes import FailedError, ProblemError
from zimcli.shell.registry import ENTRIES
from zimcore.commits import Position
from zimcore.documents.learn import ExampleDocument, RulesAnswer
from zimcore.documents.look import BoardAnswer
from zimcore.documents.play import BrokenRule, ExplainAnswer, OtherVerdict
from zimcore.documents.positions import position_document
from zimcore.documents.tables import table_documents
from zimcore.game import Game, GameError, NotationError, Refused, Rule, Table
from zimcore.rule_texts import examples_of, find_word, primer_of, rules_at_table
from zimcore.service.records.deciding import try_command
from zimcore.service.records.places import similar_names
from zimcore.service.records.results import Trial
from zimcore.service.records.scripts import NO_TIME, example_positions


@plain_command()
@argument("words", nargs=-1, metavar="[CODE|WORD...]")
@click.option("--disputed", "shows_disputed", is_flag=True, help="Show all disputed readings, and where they matter.")
@click.option(
    "--recorded", "log_paths", multiple=True, metavar="FILE", help="With --disputed: try these logs, not the store."
)
@click.option("--example", "shows_example", is_flag=True, help="Show a position in which the rule matters.")
def rules(
    session: Session,
    words: tuple[str, ...],
    shows_disputed: bool,
    log_paths: tuple[str, ...],
    *,
    shows_example: bool,
) -> RulesAnswer:
    """Look up a rule, or learn a game.

    The name of a game (zimbabwe, africana) shows its primer, which teaches the game, and all its rules; the name of a
    game in the store (kilwa-7) does so with the house rules of that table. CODE is the name of a rule, or its
    beginning. Any other WORD is searched for in the rules, on the cards and in the help of the commands. Without words
    all rules are listed; outside a session this covers every game.

    A single rule is shown with its place in the rulebook and with what you type for it; a disputed one also with the
    rulebook's words and the other reading. --example shows a board on which the rule matters, and tries a move there.

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
        from zimcli.study.disputes import replay_readings

        return replay_readings(session, code_start, log_paths)
    if shows_example:
        return example_answer(session, code_start)
    if not code_start and session.current:
        return rules_of_game(session.current_game, all_rules)
    if code_start in session.kinds:
        game = session.game(code_start)
        return rules_of_game(game, rules_at_table(game))
    matching_rules = tuple(rule for rule in all_rules if rule.code.upper().startswith(code_start.upper()))
    if len(matching_rules) == 1:
        rule = matching_rules[0]
        has_example = rule.code in examples_of(game_of_rule(session, rule))
        example_command = {f"rules {rule.code} --example": "a board on which it matters"} if has_example else {}
        return RulesAnswer(matching_rules, commands=example_command, typed=typed_for(session, rule))
    if not code_start:
        primers = {f"rules {game.name}": "the primer of the game, then its rules" for game in session.all_games}
        return RulesAnswer(matching_rules, commands=primers)
    if matching_rules:
        return RulesAnswer(matching_rules)
    try:
        return search_rules(session, code_start.lower())
    except GameError:
        if (answer := rules_of_match(session, code_start)) is None:
            raise
        return answer


def rules_of_match(session: Session, name: str) -> RulesAnswer | None:
    """The rules of a match in the store, as its table plays them; None if there is none of that name."""
    try:
        start_position = session.service.position(f"{name}@start", session.viewer)
    except GameError:
        return None
    game = start_position.game
    return rules_of_game(game, rules_at_table(game, start_position.commit.command))


def rules_of_game(game: Game, game_rules: Sequence[Rule]) -> RulesAnswer:
    """The primer of a game and all its rules."""
    return RulesAnswer(tuple(game_rules), title=game.title, primer=tuple(primer_of(game)))


def typed_for(session: Session, rule: Rule) -> tuple[str, ...]:
    """What one types for the commands that a rule guards."""
    game = game_of_rule(session, rule)
    return tuple(game.notation.SYNTAX[verb] for verb in rule.guards if verb in game.notation.SYNTAX)


def game_of_rule(session: Session, rule: Rule) -> Game:
    """The game that a rule belongs to."""
    return next(game for game in session.all_games if any(each.code == rule.code for each in rules_at_table(game)))


def example_answer(session: Session, code: str) -> RulesAnswer:
    """A rule, and a position in which it matters. Raises `GameError` if the rule has no example."""
    rule = next((each for each in session.all_rules if each.code == code.upper()), None)
    if rule is None:
        raise GameError(f"no rule {code}", "--example takes the whole code of a rule", ["rules"])
    game = game_of_rule(session, rule)
    example = examples_of(game).get(rule.code)
    if example is None:
        nearest_codes = similar_names(rule.code, examples_of(game))
        raise GameError(
            f"no example of {rule.code}",
            f"{len(examples_of(game))} rules of {game.title} have one",
            [f"rules {rule.code}", *(f"rules {each} --example" for each in nearest_codes)],
        )
    start_position, position = example_positions(game, example)
    place = f"{position.match}-{game.name}@{example.move}" if example.move is not None else ""
    board_answer = (
        BoardAnswer(position_document(position), position.board, None, (), ()) if position.board is not None else None
    )
    return RulesAnswer(
        (rule,),
        typed=typed_for(session, rule),
        example=ExampleDocument(
            board_answer, explain_position(start_position, position, example.line), example.look, place
        ),
    )


def explain_position(start_position: Position, position: Position, command_text: str) -> ExplainAnswer:
    """What a command does at a position that is in no store."""
    answer = try_command(position, command_text, NO_TIME)
    if isinstance(answer, Refused):
        return illegal_answer(position, start_position, command_text, answer)
    return ExplainAnswer(
        position=position_document(position),
        explain=command_text,
        legal=True,
        summary=answer.commit.summary,
        facts=tuple(map(position.game.notation.describe, answer.commit.events[1:])),
    )


def search_rules(session: Session, search_text: str) -> RulesAnswer:
    """Rules, cards and commands that contain a word. Raises `GameError` if there are none."""
    all_rules = session.all_rules
    if "-" in search_text:
        code_prefixes = dict.fromkeys(rule.code.rpartition("-")[0] for rule in all_rules)
        raise GameError(f"no rule {search_text}", "codes begin with " + ", ".join(code_prefixes), ["rules"])
    found_words = {game: word for game in session.all_games if (word := find_word(game, search_text))}
    codes = {code for word in found_words.values() for code in word.rules}
    found_rules = rules_with(all_rules, search_text.replace("_", " "))
    answer = RulesAnswer(
        tuple(rule for rule in all_rules if rule in found_rules or rule.code in codes),
        table_documents(
            cards_of(session, search_text)
            or cards_with(session, search_text.replace(" ", "_"))
            or cards_with(session, search_text)
        ),
        {entry.name: entry.help for entry in ENTRIES if search_text in f"{entry.name} {entry.help.lower()}"},
        meanings=meanings_of(session, found_words),
    )
    if answer == RulesAnswer(()):
        match_counts = {
            search_word: len(rules_with(all_rules, search_word))
            for search_word in search_text.split()
            if len(search_word) > 2
        }
        words_that_occur = sorted(
            (search_word for search_word in match_counts if match_counts[search_word] and " " in search_text),
            key=lambda search_word: match_counts[search_word],
        )
        words_to_try = [*similar_names(search_text, topics(all_rules)), *words_that_occur][:3]
        hints = [f"rules {search_word}" for search_word in words_to_try] or ["rules", "help"]
        raise GameError(f"nothing about {search_text}", "no rule, card or command mentions it", hints)
    return answer


@place_command()
@argument("command", nargs=-1, required=True, metavar="COMMAND")
@click.option("--both", "tries_other_readings", is_flag=True, help="Also try the other readings of disputed rules.")
def explain(session: Session, place: str, command: tuple[str, ...], tries_other_readings: bool) -> ExplainAnswer:
    """Explain whether a command is legal, and why.

    If it is legal, you see its result and its facts. If not, you see every rule that it breaks, in the rulebook's
    words, and what would be legal; the exit code is 1. If that depends on cards that you can't see, it says so.

    --both checks every disputed reading the other way, too. If the verdict changes, you see the rulebook's words, the
    other reading, and the option of `new` that plays it.

    Example::

        zim explain kilwa-7 "bid 3"
    """
    command_text = " ".join(command)
    position = session.position(place)
    try:
        trial = session.service.try_(place, [command_text], session.viewer)
    except NotationError as error:
        session.add_command_hints(error, command_text)
        raise
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
            continue
        other_facts = tuple(map(describe, decision.events))
        if codes_here or facts_here != other_facts:
            new_facts = [fact for fact in other_facts if fact not in facts_here]
            lost_facts = [f"not so: {fact}" for fact in facts_here if fact not in other_facts]
            other_verdicts.append(replace(verdict, facts=(*new_facts, *lost_facts) or ("in another order",)))
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
    """The broken rules with their reasons and their texts at this table."""
    rules_by_code = {rule.code: rule for rule in rules_at_table(position.game, first_position.commit.command)}
    no_rule = Rule("", "", "")  # the texts of a game may lack the rule
    refusals_with_rules = [(refusal, rules_by_code.get(refusal.code, no_rule)) for refusal in refused.refusals]
    return [
        BrokenRule(refusal.code, refusal.reason, rule.text, rule.section, rule.source)
        for refusal, rule in refusals_with_rules
    ]
