"""Components as data: a custom file is checked against everything that the rulebook states."""

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import zimcore.games.africana
from event_store.codec import encode
from tests.africana.kit import Position
from zimcore.game import Accepted, OptionError, Refused
from zimcore.games.africana import GAME
from zimcore.games.africana.box import box
from zimcore.games.africana.commands import SetUp

COMPONENTS_FILE = Path(zimcore.games.africana.__file__).with_name("components.toml")

FAULTS: dict[str, tuple[str, str, str]] = {
    "not a location": ('target = "mozambique", silver = 6', 'target = "oslo", silver = 6', "expedition A01: oslo"),
    "a loop": (
        'start = "aswan", target = "mozambique"',
        'start = "aswan", target = "aswan"',
        "expedition A01: it ends",
    ),
    "no back": ('id = "A01", back = "A"', 'id = "A01", back = "D"', "expedition A01: back D"),
    "wrong half": (
        'book = "north", target = "antananarivo"',
        'book = "north", target = "cairo"',
        "adventure N01: target",
    ),
    "both": ('"mask", silver = 3, vp = 3', '"mask", assistant = "gray"', "adventure N01: it is an artifact or"),
    "a kind too often": ('"antananarivo", artifact = "mask"', '"antananarivo", artifact = "drum"', "artifact drum"),
    "an id twice": ('id = "A02"', 'id = "A01"', "A01: it is there 2 times"),
    "a bad id": ('id = "A02"', 'id = "a2"', "card a2"),
    "travel cards": ("magenta = 12", "magenta = 11", "travel_cards: there are 59, and there must be 60"),
    "assistants": ("magenta = 2", "magenta = 3", "assistants magenta"),
    "jokers": ("jokers = 4", "jokers = 5", "jokers: there are 5"),
    "a third symbol": ('symbols = ["orange"]', 'symbols = ["orange", "gray", "violet"]', "location napoli: it shows"),
    "not a colour": ('symbols = ["orange"]', 'symbols = ["pink"]', "location napoli: symbol pink"),
    "twelve in the north": (
        '"Luanda", half = "south"',
        '"Luanda", half = "north"',
        "locations in the north: there are 12",
    ),
    "a route to nowhere": ('ends = ["cairo", "aswan"]', 'ends = ["cairo", "oslo"]', "route cairo-oslo: oslo"),
    "a route twice": ('ends = ["napoli", "cairo"]', 'ends = ["aswan", "cairo"]', "twice"),
    "two in one cell": ("at = [8, 0]", "at = [2, 2]", "the cell (2, 2) belongs to 2 locations"),
    "no start": ('start = "napoli", silver = 2', 'start = "rome", silver = 2', "company italy: rome"),
    "less than nothing": ('start = "napoli", silver = 2', 'start = "napoli", silver = -2', "company italy: an amount"),
    "removed": ("4 = 4\n", "", "removed: it needs 2 to 4 players"),
    "too many removed": ("2 = 10\n", "2 = 15\n", "fewer than are removed"),
    "five players": ("players = [2, 4]", "players = [2, 5]", "limits.players"),
    "not a collection": ('kind = "identical"\nsize = 2', 'kind = "equal"\nsize = 2', "scoring.collections: 2 equal"),
    "a word for a number": ("hand = 5", 'hand = "five"', "$.limits.hand"),
    "an unknown entry": ("jokers = 4", "jokers = 4\njesters = 1", "jesters"),
    "more silver than there is": (
        'start = "napoli", silver = 2',
        f'start = "napoli", silver = {2**63}',
        "company italy: an",
    ),
    "less than no card": ("magenta = 12, turquoise = 12", "magenta = 25, turquoise = -1", "travel_cards: an amount"),
    "too deep": ("jokers = 4", f"jokers = {'[' * 5000}", "not have the form"),
    "too long": ("jokers = 4", f"jokers = 4 #{' ' * 2**20}", "it has more than 262,144 characters"),
    "no toml": ("jokers = 4", "jokers 4", "not have the form"),
}


def changed_file(folder: Path, *change: str) -> Path:
    text = COMPONENTS_FILE.read_text("utf-8")
    assert change[0] in text
    path = folder / "own.toml"
    path.write_text(text.replace(change[0], change[1], 1), "utf-8")
    return path


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_entry_is_named(tmp_path: Path, fault: str) -> None:
    *change, reason = FAULTS[fault]
    with pytest.raises(OptionError) as error:
        GAME.rules.set_up({"components": str(changed_file(tmp_path, *change))}, 1)
    assert reason in str(error.value)


def test_all_wrong_entries_are_named_at_once(tmp_path: Path) -> None:
    text = (
        COMPONENTS_FILE.read_text("utf-8")
        .replace('target = "mozambique", silver', 'target = "x", silver')
        .replace('target = "dakar", silver', 'target = "y", silver')
    )
    (tmp_path / "own.toml").write_text(text, "utf-8")
    with pytest.raises(OptionError, match=r"A01: x is not a location.*A04: y is not a location"):
        GAME.rules.set_up({"components": str(tmp_path / "own.toml")}, 1)


def test_a_missing_file_is_an_option_error_whose_hint_makes_it(tmp_path: Path) -> None:
    options = {"components": str(tmp_path / "my own.toml")}
    with pytest.raises(OptionError, match="No such file") as caught:
        GAME.rules.set_up(options, 1)
    (hint,) = caught.value.hints
    subprocess.run(hint, shell=True, check=True)
    GAME.rules.set_up(options, 1)


def test_a_folder_has_no_hint(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="Is a directory") as caught:
        GAME.rules.set_up({"components": str(tmp_path)}, 1)
    assert caught.value.hints == ()


def test_a_custom_file_is_played_and_stored_with_the_game(tmp_path: Path) -> None:
    path = changed_file(tmp_path, "adventure = 5", "adventure = 6")
    command = GAME.rules.set_up({"components": str(path), "players": "2"}, 1)
    path.unlink()
    state = Position(GAME.evolution.initial()).when(command).state
    assert state.box.costs.adventure == 6
    assert box().costs.adventure == 5
    (set_up_event,) = (
        event for event in Position(GAME.evolution.initial()).when(command).events if hasattr(event, "components")
    )
    assert set_up_event.components == state.box


def test_a_custom_file_read_back_from_a_store_is_dealt_the_same_way(tmp_path: Path) -> None:
    command = GAME.rules.set_up({"components": str(changed_file(tmp_path, "adventure = 5", "adventure = 6"))}, 1)
    stored_command = msgspec.msgpack.decode(encode(command), type=SetUp)
    assert (
        Position(GAME.evolution.initial()).when(stored_command).events
        == Position(GAME.evolution.initial()).when(command).events
    )


def test_every_entry_of_the_file_names_its_source() -> None:
    assert box().title.endswith("(cards and board reconstructed)")
    entries = tomllib.loads(COMPONENTS_FILE.read_text("utf-8"))
    has_source: Callable[[Any], bool] = lambda entry: bool(entry["source"])  # noqa: E731
    for section in ("locations", "routes", "companies", "bonuses", "expeditions", "adventures"):
        assert all(map(has_source, entries[section]))


def test_components_in_a_command_are_checked_too(tmp_path: Path) -> None:
    """A command recorded on another machine has components without a file here."""
    set_up = GAME.rules.set_up({"components": str(changed_file(tmp_path, "jokers = 4", "jokers = 4 # four"))}, 1)
    assert isinstance(set_up, SetUp)
    assert set_up.components
    initial_state = GAME.evolution.initial()
    assert isinstance(GAME.rules.decide(initial_state, "", set_up), Accepted)
    rich_company = msgspec.structs.replace(set_up.components.companies[0], silver=1_000_000)
    rich_components = msgspec.structs.replace(
        set_up.components, companies=(rich_company, *set_up.components.companies[1:])
    )
    refusal = GAME.rules.decide(initial_state, "", msgspec.structs.replace(set_up, components=rich_components))
    assert isinstance(refusal, Refused)
    assert [(entry.code, entry.reason) for entry in refusal.refusals] == [
        ("A-SETUP-01", "components: company italy: an amount above 9999")
    ]
