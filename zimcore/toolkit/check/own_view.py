"""Compares what a seat's own view of a position gives with what the whole position gives: no other deal is needed.

Zim answers a seat from the position as that seat knows it, and decides its commands on the whole one. So the same
commands must be legal in both, in the same order, the same must be refused for the same reasons, and what is shown may
differ only by `?` or nothing where something is hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from zimcore.game import Accepted, Game, HiddenError, Refused, Seat, figures
from zimcore.toolkit.check.finding import Finding
from zimcore.toolkit.check.tags import difference
from zimcore.toolkit.check.tracing import error_text, where_hidden, where_mentioned, where_raised, where_runs_part
from zimcore.toolkit.unknown import Unknown, is_unknown

MAX_LISTED = 200
"""How many legal commands are compared."""
SEEN_ADVICE = "use only what that seat can see"


def check_own_view(game: Game, state: Any, seat: Seat, commands: Iterable[Any]) -> Iterator[Finding]:
    """The differences between a seat's view and the whole position; `commands` are tried, legal or not."""
    assert game.secrets
    visible_state = game.secrets.conceal(state, seat)
    yield from _check_answers(game, state, visible_state, seat)
    if seat in game.evolution.to_move(state):
        yield from _check_legal(game, state, visible_state, seat)
        for command in commands:
            yield from _check_refusal(game, state, visible_state, seat, command)


def _check_answers(game: Game, state: Any, visible_state: Any, seat: Seat) -> Iterator[Finding]:
    evolution, display = game.evolution, game.display
    questions: dict[str, Callable[[Any], Any]] = {
        "evolution.to_move": evolution.to_move,
        "evolution.outcome": lambda position: evolution.outcome(position).over,
        "display.status": display.status,
        "display.toolbar": display.toolbar,
        "display.figures": lambda position: figures(game, position),
        "display.tables": lambda position: [*display.tables(position)],
        "display.board": display.board,
    }
    viewer = seat or "a spectator"
    for member, ask in questions.items():
        try:
            answer = ask(visible_state)
        except Exception as error:  # any exception of the author's code is a finding
            yield _raised(game, member, error, viewer)
            continue
        visible_difference = shown_difference(answer, ask(state), member)
        if visible_difference:
            path, shown_value, value = visible_difference
            problem = f"{path} is {shown_value!r:.60} in what {viewer} can see, and {value!r:.60} in the whole position"
            location = where_runs_part(game, partial(ask, state), partial(ask, visible_state))
            yield Finding(
                member, f"{problem}: give ? or None for what is hidden", location or where_mentioned(game, member, "")
            )


def _check_legal(game: Game, state: Any, visible_state: Any, seat: Seat) -> Iterator[Finding]:
    def list_commands(position: Any) -> list[str]:
        legal_commands = game.rules.legal(position, seat)
        return [str(legal_commands.count()), *islice(legal_commands.texts(), MAX_LISTED)]

    try:
        texts = list_commands(visible_state)
    except Exception as error:  # any exception of the author's code is a finding
        yield _raised(game, "rules.legal", error, seat)
        return
    all_texts = list_commands(state)
    if texts == all_texts:
        return
    what = "other commands" if sorted(texts) != sorted(all_texts) else "commands in another order"
    yield Finding(
        "rules.legal",
        f"lists {what} on what {seat} can see than on the whole position: {SEEN_ADVICE}",
        where_runs_part(game, partial(list_commands, state), partial(list_commands, visible_state)),
    )


def _check_refusal(game: Game, state: Any, visible_state: Any, seat: Seat, command: Any) -> Iterator[Finding]:
    decide = partial(game.rules.decide, seat=seat, command=command)
    try:
        answer = decide(state)
    except Exception:  # `check_every_verb` says so
        return
    text = game.notation.format(command)
    try:
        visible_answer = decide(visible_state)
    except HiddenError as error:
        if isinstance(answer, Refused):
            yield Finding(
                "rules.decide",
                f"needs what is hidden from {seat} to refuse {text}: {SEEN_ADVICE}",
                where_raised(error, game),
            )
        return
    except Exception as error:  # any exception of the author's code is a finding
        if isinstance(answer, Refused):
            yield _raised(game, "rules.decide", error, seat)
        return
    problem = ""
    if isinstance(answer, Accepted) != isinstance(visible_answer, Accepted):
        verbs = ("accepts", "refuses") if isinstance(answer, Accepted) else ("refuses", "accepts")
        problem = f"{verbs[0]} {text}, and {verbs[1]} it on what {seat} can see"
    elif isinstance(answer, Refused) and isinstance(visible_answer, Refused):
        texts, visible_texts = (
            [*(refusal.reason for refusal in each.refusals), *each.hints] for each in (answer, visible_answer)
        )
        if texts != visible_texts:
            problem = f"refuses {text}: {visible_texts!r:.80} on what {seat} can see, and {texts!r:.80}"
    if problem:
        location = where_hidden(game, partial(decide, visible_state))
        location = location or where_runs_part(game, partial(decide, state), partial(decide, visible_state))
        yield Finding("rules.decide", f"{problem}: {SEEN_ADVICE}", location)


def _raised(game: Game, member: str, error: Exception, viewer: str) -> Finding:
    """The finding for an error on what a viewer can see."""
    location = where_raised(error, game) or where_mentioned(game, member, str(error))
    if isinstance(error, HiddenError):
        return Finding(member, f"needs what is hidden from {viewer}: {SEEN_ADVICE}", location)
    problem = f"raises {error_text(error)}, asked as {viewer}: make it work on what a seat can see"
    return Finding(member, problem, location)


def shown_difference(shown_value: Any, value: Any, path: str) -> tuple[str, Any, Any] | None:
    """Where a value that a viewer is shown contradicts the whole one: `?`, None, and texts with `?` contradict nothing.

    Neither do texts inside of tables, figures and boards (`1 face down`), or a list with `?`: its order may differ.

    >>> shown_difference({"hand": ["?", 3], "score": None}, {"hand": [2, 3], "score": 5}, "")
    >>> shown_difference({"hand": [3, 3]}, {"hand": [3, 4]}, "figures")
    ('figures[hand][1]', 3, 4)
    """
    if shown_value is None or isinstance(shown_value, Unknown) or is_unknown(shown_value):
        return None
    if isinstance(shown_value, str) and ("?" in shown_value or path.endswith("]")):
        return None
    if isinstance(shown_value, msgspec.Struct) and type(shown_value) is type(value):
        names = shown_value.__struct_fields__
        pairs = [(f"{path}[{name}]", getattr(shown_value, name), getattr(value, name)) for name in names]
    elif isinstance(shown_value, Mapping) and isinstance(value, Mapping):
        keys = [key for key in shown_value if key in value]
        pairs = [(f"{path}[{key}]", shown_value[key], value[key]) for key in keys]
    elif isinstance(shown_value, (tuple, list)) and isinstance(value, (tuple, list)):
        is_complete = len(shown_value) == len(value) and "?" not in map(str, shown_value)
        pairs = [(f"{path}[{index}]", shown_value[index], value[index]) for index in range(len(value) * is_complete)]
    else:
        return difference(shown_value, value, path)
    differences = (shown_difference(item, whole_item, item_path) for item_path, item, whole_item in pairs)
    return next(filter(None, differences), None)


def check_every_verb(
    game: Game, states_by_phase: Mapping[str, Iterable[Any]], commands: Iterable[Any]
) -> Iterator[Finding]:
    """Tries commands of all kinds in all phases: those out of place are refused, whoever looks."""
    for phase, states in states_by_phase.items():
        for state in states:
            for command in commands:
                yield from _try_out_of_place(game, state, phase, command)


def _try_out_of_place(game: Game, state: Any, phase: str, command: Any) -> Iterator[Finding]:
    text = game.notation.format(command)
    seats, to_move = game.evolution.seats(state), game.evolution.to_move(state)
    for seat in (*to_move[:1], *[seat for seat in seats if seat not in to_move][:1]):
        positions = [state, *([game.secrets.conceal(state, seat)] if game.secrets else [])]
        for position in positions:
            try:
                is_accepted = isinstance(game.rules.decide(position, seat, command), Accepted)
                game.notation.parse(text, position)
                is_legal = position is not state or (seat in to_move and command in game.rules.legal(state, seat))
            except HiddenError:
                continue
            except Exception as error:  # any exception of the author's code is a finding
                problem = f"{text} in the phase `{phase}` raises {error_text(error)}: refuse what is out of place"
                yield Finding("rules.decide", problem, where_raised(error, game))
                continue
            if is_accepted and not is_legal:
                yield Finding("rules.decide", f"accepts {text} in the phase `{phase}`, where it is not legal")


def examples_of(commands: Iterable[Any], limit: int) -> list[Any]:
    """Some commands of each kind."""
    examples: dict[type, list[Any]] = {}
    for command in commands:
        examples_of_type = examples.setdefault(type(command), [])
        if len(examples_of_type) < limit and command not in examples_of_type:
            examples_of_type.append(command)
    return [command for examples_of_type in examples.values() for command in examples_of_type]
