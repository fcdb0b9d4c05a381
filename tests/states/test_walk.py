"""A random walk over states and doors. `scripts/walk --seed` repeats one, and `scripts/walk` takes long ones."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.project_files import code_seed
from tests.states.doors import a_world
from tests.states.walk import SETTINGS, WALKED_FOLDERS, ViolationError, walk
from zimcli.commands.bot import bot_answer
from zimcore.commits import Position
from zimcore.game import GameError
from zimcore.service.records.deciding import read_command
from zimcore.service.records.names import Names

STEPS = {"people": 60, "soon over": 40, "soon won": 40, "a program": 60, "programs": 40, "zimbabwe": 12, "africana": 12}
"""How many lines are typed in each setting."""


@pytest.mark.parametrize("setting", STEPS)
def test_every_state_has_a_way_on(setting: str) -> None:
    seed = code_seed(*WALKED_FOLDERS)
    with a_world() as world:
        try:
            for _ in walk(world, seed, SETTINGS[setting], STEPS[setting]):
                pass
        except ViolationError as error:
            command = f"scripts/walk --setting {setting!r} --seed {seed} --steps {STEPS[setting]}"
            pytest.fail(f"{error}\n{command}", pytrace=False)


def not_there(*_: object) -> list[str]:
    return ["not-there"]


current_line = Names.current_line


def nothing(*_: object, **__: object) -> str:
    return ""


def read_command_of_a_seat(game: Any, state: Any, text: Any, seat: Any = None) -> Any:
    """The command as it was read when nobody was taken for a seat: who sits at another one may not play it."""
    seat, command = read_command(game, state, text, seat)
    if not seat:
        raise GameError(f"{seat} can't be played here")
    return seat, command


def bot_answer_of_a_seat(bot: Any, moves: Any, head: Position) -> object:
    """The answer as it was when a program played for nobody: it looks up the seat to move."""
    if not head.to_move:
        raise KeyError(head.mover)
    return bot_answer(bot, moves, head)


FAULTS: dict[str, tuple[str, str, object]] = {
    "nobody moves a program after a write": (
        "a program",
        "zimcli.session.bot_moves.play_bot_seats",
        lambda *_: iter(()),
    ),
    "the library lets no program answer": ("a program", "zimcore.library.store.let_programs_move", lambda *_: ()),
    "a prompt stays on a line that was renamed": ("people", "zimcli.repl.loop.follow_current_line", nothing),
    "a table stays in a game that was deleted": ("people", "zimcli.table.service_thread.follow_current_line", nothing),
    "the menu is empty though people are to move": ("people", "zimcli.table.service_thread.own_seats", lambda *_: ()),
    "hints are fragments": ("people", "zimcli.output.errors.with_option", lambda _, words: words),
    "a hint of amend is played at the head": ("people", "zimcli.commands.rewriting.amending_hints", lambda *_: _[2]),
    "legal lists the moves of others": ("people", "zimcli.commands.legal.own_seats", lambda *_: ("somebody",)),
    "people have one current line together": (
        "people",
        "zimcore.service.records.names.Names.current_line",
        lambda names, author, seat="": current_line(names, next(reversed(names.chosen_lines), author), seat),
    ),
    "a seat has a current line of its own": (
        "people",
        "zimcore.service.records.names.Names.current_line",
        lambda names, author, seat="": names.first_line if seat else current_line(names, author, seat),
    ),
    "what goes back leads elsewhere": (
        "people",
        "zimcli.commands.heads.replace",
        lambda answer, **fields: replace(answer, **{name: value and "nowhere" for name, value in fields.items()}),
    ),
    "a hint repeats the command": ("people", "zimcli.output.errors.with_name", lambda words, *_: [*words]),
    "a hint names a line that is not there": ("people", "zimcore.service.records.names.suggest_names", not_there),
    "nobody has a name at the end": ("soon won", "zimcore.service.service.read_command", read_command_of_a_seat),
    "a program plays for nobody": ("soon over", "zimcli.commands.bot.bot_answer", bot_answer_of_a_seat),
    "orders are taken at the end": ("soon over", "zimcore.service.social.standing_orders.check_goes_on", nothing),
    "a request does not say who": ("people", "zimcli.session.pipe_requests.SHARED_OPTIONS", ("as", "open")),
    "a table shows an old head": ("people", "zimcli.table.service_thread.ServiceThread.read_news", lambda _: None),
}
"""Faults of the reviews: in which setting they show, what is replaced, and by what."""
MAX_WALKS = 25


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    setting, place, replacement = FAULTS[fault]
    monkeypatch.setattr(place, replacement)
    with pytest.raises(ViolationError):
        take_walks(setting)


def take_walks(setting: str) -> None:
    for seed in range(MAX_WALKS):
        with a_world() as world:
            for _ in walk(world, seed, SETTINGS[setting], STEPS[setting]):
                pass
