"""Replays games under the other options of disputed readings: games of the store, or recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from zimcli import files
from zimcli.registry import ENTRIES
from zimcli.session import Session
from zimcore.documents.learn import DisputedReading, RulesAnswer
from zimcore.game import Event, Game, GameError, HiddenError, NotationError, Played, Refused, Rule
from zimcore.history.disputed_readings import MatchMoves, ReadingDifference, first_difference, moves_of

Found = tuple[str, Callable[[], MatchMoves]]
"""The name of a game, and a function that reads it. It is called only when the game is replayed."""


def readings(session: Session, code: str, paths: Sequence[str]) -> RulesAnswer:
    """The disputed rules whose codes begin with `code`, with each option tried on the games.

    Raises `GameError` if there is no such rule, or if a recorded file is not a log.
    """
    games = {game.name: game for game in session.all_games}
    disputed_rules = {
        rule.code: rule for rule in session.all_rules if rule.reading and rule.code.upper().startswith(code.upper())
    }
    rules = {
        kind: [disputed_rules[rule.code] for rule in game.texts.rules() if rule.code in disputed_rules]
        for kind, game in games.items()
    }
    if not any(rules.values()):
        raise GameError(
            f"no disputed rule {code}", "no disputed reading has a code with this beginning", ["rules --disputed"]
        )
    found_moves = of_files(session, paths) if paths else of_store(session, games)
    disputed = list[DisputedReading]()
    with session.out.progress("replaying games") as report:
        count, of = 0, sum(len(found_moves.get(kind, [])) for kind, rules_of_game in rules.items() if rules_of_game)
        for kind, rules_of_game in rules.items():
            results: dict[str, list[tuple[str, ReadingDifference | None]]] = {}
            unseen = dict[str, int]()
            matches = found_moves.get(kind, []) if rules_of_game else []
            for name, read in matches:
                _try(rules_of_game, name, read(), results, unseen)
                count += 1
                report(count, of)
            disputed += _count_results(rules_of_game, len(matches), results, unseen)
    return RulesAnswer(
        tuple(rule for rules_of_game in rules.values() for rule in rules_of_game), disputed=tuple(disputed)
    )


def _try(
    rules: Sequence[Rule],
    name: str,
    match: MatchMoves,
    results: dict[str, list[tuple[str, ReadingDifference | None]]],
    unseen: dict[str, int],
) -> None:
    for option in (option for rule in rules if rule.reading for option in rule.reading.options):
        try:
            results.setdefault(option, []).append((name, first_difference(match, option.partition("=")[0])))
        except HiddenError:
            unseen[option] = unseen.get(option, 0) + 1


def _count_results(
    rules: Sequence[Rule],
    games: int,
    results: dict[str, list[tuple[str, ReadingDifference | None]]],
    unseen: dict[str, int],
) -> Iterator[DisputedReading]:
    for rule in rules:
        for option in rule.reading.options if rule.reading else ():
            places = [(name, each) for name, each in results.get(option, []) if each]
            first, example = (f"{places[0][0]}@{places[0][1].move}", places[0][1].how) if places else ("", "")
            yield DisputedReading(rule.code, option, len(places), games, unseen.get(option, 0), first, example)


def of_store(session: Session, games: dict[str, Game]) -> dict[str, list[Found]]:
    """The games of the store by kind, each on the line that it began with. Empty if there is no store."""
    if session.local_service and not session.local_service.store.is_there():
        return {}
    service, found_moves = session.service, dict[str, list[Found]]()
    for game in service.games(by=session.by):
        if game.kind in games and game.head >= 0:
            found_moves.setdefault(game.kind, []).append(
                (f"{game.name}/{game.line}", _line(session, games[game.kind], f"{game.name}/{game.line}"))
            )
    return found_moves


def _line(session: Session, game: Game, place: str) -> Callable[[], MatchMoves]:
    return lambda: moves_of(game, session.service.log(place, viewer=session.viewer))


def of_files(session: Session, paths: Sequence[str]) -> dict[str, list[Found]]:
    """Recorded games by kind: each path is a log, a script, or a folder of `.zim` files."""
    from zimcore.transcripts.log_lines import kind_of

    found_moves = dict[str, list[Found]]()
    for given in map(Path, paths):
        for path in sorted(given.glob("*.zim")) if given.is_dir() else [given]:
            with files.reading(str(path)) as file:
                text = file.read().decode("utf-8-sig", errors="replace")
            game = session.game(kind_of(text))
            found_moves.setdefault(game.name, []).append((str(path), _log(game, str(path), text)))
    return found_moves


def _log(game: Game, path: str, text: str) -> Callable[[], MatchMoves]:
    return lambda: moves_of_log(game, path, text)


def moves_of_log(game: Game, path: str, text: str) -> MatchMoves:
    """The match of a log, played under the usual readings. Raises `GameError` for an illegal line."""
    from zimcore.transcripts.beginning import set_up_log
    from zimcore.transcripts.log_lines import parse_log

    log = parse_log(text, game, {entry.name for entry in ENTRIES if entry.only_reads} - {*game.notation.SYNTAX})
    command, answer = set_up_log(game, log)
    moves, state = list[tuple[Played, Sequence[Event]]](), answer.state
    for line in log.lines:
        if line.expects:
            continue
        location = f"{path}:{line.number}: {line.text}"
        try:
            seat, parsed = game.notation.parse(line.text, state)
        except GameError as error:
            raise NotationError(location, str(error), [f"audit {path}"]) from error
        mover = line.seat or seat or next(iter(game.evolution.to_move(state)), "")
        after = game.rules.decide(state, mover, parsed)
        if isinstance(after, Refused):
            raise NotationError(location, after.refusals[0].reason, [f"audit {path}"])
        moves.append((Played(mover, parsed), after.events))
        state = after.state
    return MatchMoves(game, (Played("", command), *answer.events), moves)
