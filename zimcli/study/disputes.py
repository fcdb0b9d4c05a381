"""Replays games under the other options of disputed readings: games of the store, or recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from zimcli.output import files
from zimcli.session.session import Session
from zimcli.shell.registry import ENTRIES
from zimcore.documents.learn import DisputedReading, RulesAnswer
from zimcore.game import Event, Game, GameError, HiddenError, NotationError, Played, Refused, Rule
from zimcore.history.disputed_readings import MatchMoves, ReadingDifference, first_difference, moves_of
from zimcore.rule_texts import rules_at_table
from zimcore.toolkit.characters import decode_text

NamedMatch = tuple[str, Callable[[], MatchMoves]]
"""The name of a game, and a function that reads it. It is called only when the game is replayed."""


def replay_readings(session: Session, code_start: str, paths: Sequence[str]) -> RulesAnswer:
    """The disputed rules whose codes begin with `code_start`, with each option tried on the games.

    Raises `GameError` if there is no such rule, or if a recorded file is not a log.
    """
    games_by_kind = {game.name: game for game in session.all_games}
    disputed_rules = {
        rule.code: rule
        for rule in session.all_rules
        if rule.reading and rule.code.upper().startswith(code_start.upper())
    }
    rules_by_kind = {
        kind: [disputed_rules[rule.code] for rule in rules_at_table(game) if rule.code in disputed_rules]
        for kind, game in games_by_kind.items()
    }
    if not any(rules_by_kind.values()):
        raise GameError(
            f"no disputed rule {code_start}", "no disputed reading has a code with this beginning", ["rules --disputed"]
        )
    matches_by_kind = file_matches(session, paths) if paths else store_matches(session, games_by_kind)
    disputed_readings = list[DisputedReading]()
    with session.output.progress("replaying games") as report:
        total = sum(len(matches_by_kind.get(kind, [])) for kind, rules in rules_by_kind.items() if rules)
        count = 0
        for kind, rules_of_game in rules_by_kind.items():
            results_by_option: dict[str, list[tuple[str, ReadingDifference | None]]] = {}
            unseen_counts = dict[str, int]()
            matches = matches_by_kind.get(kind, []) if rules_of_game else []
            for match_name, read_moves in matches:
                _try_options(rules_of_game, match_name, read_moves(), results_by_option, unseen_counts)
                count += 1
                report(count, total)
            disputed_readings += _count_results(rules_of_game, len(matches), results_by_option, unseen_counts)
    return RulesAnswer(
        tuple(rule for rules_of_game in rules_by_kind.values() for rule in rules_of_game),
        disputed=tuple(disputed_readings),
    )


def _try_options(
    rules: Sequence[Rule],
    match_name: str,
    moves: MatchMoves,
    results_by_option: dict[str, list[tuple[str, ReadingDifference | None]]],
    unseen_counts: dict[str, int],
) -> None:
    for option in (option for rule in rules if rule.reading for option in rule.reading.options):
        try:
            results_by_option.setdefault(option, []).append(
                (match_name, first_difference(moves, option.partition("=")[0]))
            )
        except HiddenError:
            unseen_counts[option] = unseen_counts.get(option, 0) + 1


def _count_results(
    rules: Sequence[Rule],
    game_count: int,
    results_by_option: dict[str, list[tuple[str, ReadingDifference | None]]],
    unseen_counts: dict[str, int],
) -> Iterator[DisputedReading]:
    for rule in rules:
        for option in rule.reading.options if rule.reading else ():
            differences = [
                (match_name, difference) for match_name, difference in results_by_option.get(option, []) if difference
            ]
            first_place, first_example = (
                (f"{differences[0][0]}@{differences[0][1].move}", differences[0][1].how) if differences else ("", "")
            )
            yield DisputedReading(
                rule.code,
                option,
                len(differences),
                game_count,
                unseen_counts.get(option, 0),
                first_place,
                first_example,
            )


def store_matches(session: Session, games_by_kind: dict[str, Game]) -> dict[str, list[NamedMatch]]:
    """The games of the store by kind, each on the line that it began with. Empty if there is no store."""
    if session.local_service and not session.local_service.store.exists():
        return {}
    service, matches_by_kind = session.service, dict[str, list[NamedMatch]]()
    for match in service.games(by=session.by):
        if match.kind in games_by_kind and match.head >= 0:
            place = f"{match.name}/{match.line}"
            read_moves = _line_reader(session, games_by_kind[match.kind], place)
            matches_by_kind.setdefault(match.kind, []).append((place, read_moves))
    return matches_by_kind


def _line_reader(session: Session, game: Game, place: str) -> Callable[[], MatchMoves]:
    return lambda: moves_of(game, session.service.log(place, viewer=session.viewer))


def file_matches(session: Session, paths: Sequence[str]) -> dict[str, list[NamedMatch]]:
    """Recorded games by kind: each path is a log, a script, or a folder of `.zim` files."""
    from zimcore.transcripts.own_format import kind_of

    matches_by_kind = dict[str, list[NamedMatch]]()
    for path_or_folder in map(Path, paths):
        for path in sorted(path_or_folder.glob("*.zim")) if path_or_folder.is_dir() else [path_or_folder]:
            with files.open_for_reading(str(path)) as file:
                text = decode_text(file.read(), str(path))
            game = session.game(kind_of(text))
            matches_by_kind.setdefault(game.name, []).append((str(path), _log_reader(game, str(path), text)))
    return matches_by_kind


def _log_reader(game: Game, path: str, text: str) -> Callable[[], MatchMoves]:
    return lambda: moves_of_log(game, path, text)


def moves_of_log(game: Game, path: str, text: str) -> MatchMoves:
    """The match of a log, played under the usual readings. Raises `GameError` for an illegal line."""
    from zimcore.transcripts.beginning import set_up_log
    from zimcore.transcripts.own_format import parse_log

    ignored_commands = {entry.name for entry in ENTRIES if entry.only_reads} - {*game.notation.SYNTAX}
    log = parse_log(text, game, ignored_commands)
    set_up_command, set_up_decision = set_up_log(game, log)
    moves, state = list[tuple[Played, Sequence[Event]]](), set_up_decision.state
    for line in log.lines:
        if line.is_expectation:
            continue
        location = f"{path}:{line.number}: {line.text}"
        try:
            seat, command = game.notation.parse(line.text, state)
        except GameError as error:
            raise NotationError(location, str(error), [f"audit {path}"]) from error
        mover = line.seat or seat or next(iter(game.evolution.to_move(state)), "")
        decision = game.rules.decide(state, mover, command)
        if isinstance(decision, Refused):
            raise NotationError(location, decision.refusals[0].reason, [f"audit {path}"])
        moves.append((Played(mover, command), decision.events))
        state = decision.state
    return MatchMoves(game, (Played("", set_up_command), *set_up_decision.events), moves)
