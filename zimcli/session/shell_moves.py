"""Moves that were typed at the shell as if they were commands of zim: `zim start f4` for `zim do GAME "start f4"`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

import msgspec

from zimcli.output.errors import hints_for_other_word, no_command_problem
from zimcli.session.playing import unreadable_command
from zimcli.session.session import Session
from zimcli.shell.exit_codes import NOT_UNDERSTOOD, ProblemError
from zimcli.shell.program_name import program_name
from zimcli.shell.registry import HELP, HINT
from zimcore.documents.problems import Problem, Reason
from zimcore.game import Game, GameError, NotationError
from zimcore.games.registry import playable_games
from zimcore.rule_texts import find_word
from zimcore.service import StoreError
from zimcore.service.records.places import similar_names

MOVE_PROBLEMS = ("refused", "not understood", "ambiguous")
"""The kinds of problems whose hints can be moves."""
MAX_MATCHES = 3
"""The number of matches in which a move is tried, the last played first."""


def unknown_command_problem(session: Session, words: Sequence[str]) -> ProblemError:
    """The problem for words that do not begin with a command. They may be a move that was typed without `do`.

    Then its hints play that move, or similar ones, in a match of the store.
    """
    move_text = " ".join(word for word in words if not word.startswith("--"))
    verb = verb_of(move_text)
    games = _games_with_verb(session, verb)
    if not games:
        asked_words = {word.name for game in playable_games(session.kinds) if (word := find_word(game, move_text))}
        help_hints = [f"{HELP.name} {word}" for word in sorted(asked_words)]
        return no_command_problem(words[0], [*help_hints, *_misspelt_move_hints(session, move_text)])
    titles = " and of ".join(game.title for game in games)
    reason = Reason(f"{verb} is a move of {titles}: `do` plays it in a game of yours")
    hints = next(_hints_by_match(session, {game.name for game in games}, move_text), ())
    other_hints = hints_for_other_word(words[0]) or (f"help {verb}",)
    return ProblemError(
        Problem("usage", f"there is no command {words[0]!r}", NOT_UNDERSTOOD, (reason,), hints or other_hints)
    )


def _misspelt_move_hints(session: Session, move_text: str) -> Sequence[str]:
    """The command that plays a move with a misspelt verb, if it can be played; () otherwise."""
    verb, other_words = verb_of(move_text), move_text.split()[1:]
    for game in playable_games(session.kinds):
        for similar_verb in similar_names(verb, game.notation.SYNTAX) if other_words else ():
            similar_move = move_text.replace(verb, similar_verb, 1)
            hints = next(_hints_by_match(session, {game.name}, similar_move), ())
            if len(hints) == 1 and hints[0].endswith(f' "{similar_move}"'):
                return hints
    return ()


def with_playing_lines(session: Session, words: Sequence[str], problem: Problem) -> Problem:
    """The problem of a command in the shell, with each hint that is a move as a command line that plays or tries it.

    Bare moves stay where such a line could mean something else: another store than the typed one, or other moves
    before it that `try` has not played.
    """
    command, place = problem.command, session.command_place
    if any(word.startswith("--store") for word in words):
        return problem
    if command == "do" and problem.what.startswith("there is no game called "):
        hints = tuple(f"{program_name()} {hint}" for hint in _unquoted_move_hints(session, words))
        return msgspec.structs.replace(problem, hints=hints or problem.hints)
    if command not in ("do", "try", "explain", "preview", HINT.name) or problem.kind not in MOVE_PROBLEMS or not place:
        return problem
    typed_words = _words_before_options(words, command)
    if command == "try" and (len(typed_words) > len(("PLACE", "COMMAND")) or ";" in "".join(typed_words)):
        return problem
    try:
        verbs = session.position(place).game.notation.SYNTAX
    except (GameError, StoreError):
        return problem  # what is wrong was said; no second error
    option = " --preview" if command == HINT.name else ""
    line_start = f"{program_name()} {command} {place}{option}"
    hints = tuple(f'{line_start} "{hint}"' if verb_of(hint) in verbs else hint for hint in problem.hints)
    return msgspec.structs.replace(problem, hints=hints)


def _unquoted_move_hints(session: Session, words: Sequence[str]) -> tuple[str, ...]:
    """For a move that was typed without a game and without quotes, the lines that play it; () if it is none."""
    move_text = " ".join(_words_before_options(words, "do"))
    kinds = {game.name for game in _games_with_verb(session, verb_of(move_text))}
    return next(_hints_by_match(session, kinds, move_text), ()) if kinds else ()


def _games_with_verb(session: Session, verb: str) -> Sequence[Game]:
    """The games that have a move with this verb."""
    return [game for game in playable_games(session.kinds) if verb in game.notation.SYNTAX]


def _words_before_options(words: Sequence[str], command: str) -> Sequence[str]:
    """The words between a command and its first option.

    >>> _words_before_options(["--as", "zulu", "try", "friday", "pass", "--json"], "try")
    ['friday', 'pass']
    """
    words_after = words[words.index(command) + 1 :] if command in words else ()
    return [*takewhile(lambda word: not word.startswith("-"), words_after)]


def verb_of(move_text: str) -> str:
    """The first word of a move, after the seat in front of it if there is one.

    >>> verb_of("zulu: start f4")
    'start'
    """
    return move_text.rpartition(":")[2].strip().partition(" ")[0].lower()


def _hints_by_match(session: Session, kinds: Collection[str], move_text: str) -> Iterator[tuple[str, ...]]:
    """For each of the matches of these kinds that were played last, the commands that play such a move there."""
    try:
        matches = session.service.games(by=session.by)
        open_matches = [match for match in matches if match.kind in kinds and not (match.archived or match.damaged)]
        for match in sorted(open_matches, key=lambda match: match.played, reverse=True)[:MAX_MATCHES]:
            if moves := _legal_moves(session, match.name, move_text):
                yield tuple(f'do {match.name} "{move}"' for move in moves)
    except (GameError, StoreError):
        return  # a store that is missing or can't be read is no fault of what was typed


def _legal_moves(session: Session, match_name: str, move_text: str) -> Sequence[str]:
    """The move itself, if it can be played at the head of a match, or else the moves that the rules propose."""
    try:
        refused = session.service.try_(match_name, [move_text], session.viewer).refused
    except NotationError as error:
        hints = unreadable_command(session, match_name, move_text, error).hints
    else:
        if not refused:
            return [move_text]
        hints = refused.hints
    verbs = session.position(match_name).game.notation.SYNTAX
    return [hint for hint in hints if verb_of(hint) in verbs]
