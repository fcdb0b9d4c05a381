"""`zim` alone: your games, whose turn it is, and what you can begin; each row is a command that works as printed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.screen import Terminal
from zimcli.main import cli
from zimcli.shell.registry import ENTRIES_BY_NAME, FREQUENT_COMMANDS, SUBCOMMANDS
from zimcore.remote.client_files import Credential, Folders, Keyring, update_file
from zimcore.service import open_service

MAX_LINES = 25


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; `zim` keeps its games there."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("ZIM_STORE", raising=False)
    return tmp_path


def zim(*words: str) -> Result:
    return CliRunner().invoke(cli, [*words], prog_name="zim")


def commands(text: str) -> list[list[str]]:
    """The command lines of the screen, without `zim`."""
    lines = [line.strip() for line in text.splitlines() if line.startswith("  zim ")]
    return [shlex.split(line.partition("  ")[0])[1:] for line in lines]


def test_before_the_first_game_it_offers_what_you_can_begin(home: Path) -> None:
    result = zim()
    assert result.exit_code == 0, result.stderr
    begun = {words[0] for words in commands(result.stdout)}
    assert begun == {"new", "tutorial", "demo", "host", "help"}, "there are no mistakes to practise yet"
    assert not [*home.rglob("games.db")], "looking creates no store"


def test_games_come_with_whose_turn_it_is_and_fit_the_screen(home: Path) -> None:
    for number in range(9):
        assert zim("new", f"g{number}", "players=2", "bots=random").exit_code == 0
    assert zim("new", "cards", "--game", "africana", "players=2", "bots=quick").exit_code == 0
    assert zim("new", "ended", "players=2", "max_rounds=1").exit_code == 0
    assert zim("bot", "ended", "random", "--to-end").exit_code == 0
    result = zim()
    lines = result.stdout.splitlines()
    turns = ["your turn" in line for line in lines if line.startswith("  zim play ")]
    assert turns == [True] * 5 + [False]
    assert len(lines) <= MAX_LINES, result.stdout
    assert any("cards · your turn · round 1" in line for line in lines)
    assert ["games"] in commands(result.stdout)
    assert ["practise"] in commands(result.stdout)
    assert "all 11 games" in result.stdout


def test_games_in_which_you_have_a_seat_on_a_server_are_yours(home: Path) -> None:
    assert zim("new", "friday", "players=2", "bots=random").exit_code == 0
    tokens = [
        Credential("http://127.0.0.1:9", "token-1", "saturday", "seat", "zulu"),
        Credential("http://127.0.0.1:9", "token-2", role="host"),
        Credential("http://127.0.0.1:9", "token-3", "monday", "seat", "kilwa"),
    ]
    update_file(Folders.of_user().tokens_file, Keyring, lambda _: Keyring(tuple(tokens)))
    rows = [words[:4] for words in commands(zim().stdout) if "play" in words]
    assert rows[0] == ["play", "friday"]
    assert rows[1:3] == [["--store", "http://127.0.0.1:9", "play", game] for game in ("monday", "saturday")]
    result = zim("--store", f"sqlite:///{home}/games.db")
    assert "monday" not in result.output


def test_each_command_of_the_screen_runs_as_printed(home: Path) -> None:
    assert zim("new", "friday", "players=2", "bots=random").exit_code == 0
    screen = zim().stdout
    for words in commands(screen):
        if words[0] in ("host", "demo", "practise", "tutorial"):
            assert ENTRIES_BY_NAME[words[0]].load_command().make_context(words[0], words[1:])
        else:
            result = zim(*words)
            assert result.exit_code == 0, (words, result.output)


def test_options_of_zim_are_part_of_each_command(home: Path) -> None:
    store = f"sqlite:///{home}/other.db"
    assert zim("--store", store, "new", "friday").exit_code == 0
    result = zim("--store", store)
    assert f"zim --store {store} play friday" in result.stdout


@pytest.mark.parametrize("store", ["sqlite:////nowhere/games.db", "http://127.0.0.1:9"])
def test_a_store_that_was_named_and_cannot_be_read_is_no_empty_one(home: Path, store: str) -> None:
    result = zim("--store", store)
    assert (result.exit_code, result.stdout) == (4, ""), result.stderr


def test_programs_get_no_screen(home: Path) -> None:
    result = zim("--json")
    assert (result.exit_code, result.stdout) == (2, "")


def test_keys_begin_a_game_and_come_back(home: Path) -> None:
    terminal = Terminal(home, "-m", "zimcli", lines=30)
    terminal.wait_for_text("Enter: n")
    terminal.type_keys("h")
    terminal.wait_for_text("Any key goes back to the start")
    terminal.type_keys(" ")
    terminal.wait_until(lambda text: text.rstrip().endswith("leave  (Enter: n)"))
    terminal.type_keys("n")
    terminal.wait_for_text("people at this keyboard")
    terminal.type_keys("1")
    terminal.wait_for_text("place the first monument")
    terminal.wait_for_text("Ctrl-D leave")
    terminal.type_keys("\x04")
    terminal.wait_for_text("Any key goes back to the start")
    terminal.type_keys(" ")
    terminal.wait_for_text("1  zimbabwe-1 · your turn")
    terminal.type_keys("q")
    assert terminal.wait_for_end() == 0


def test_one_level_plays_every_seat_but_the_first(home: Path) -> None:
    store = f"sqlite:///{home}/games.db"
    assert zim("--store", store, "new", "three", "players=3", "bots=strong:elo=1500").exit_code == 0
    with (service := open_service(store)).store:
        seats = service.head("three").seats
        assert service.bots("three") == dict.fromkeys(seats[1:], "strong:elo=1500")


def test_help_shows_about_twenty_commands_and_help_all_every_one(home: Path) -> None:
    short, full = zim("help").stdout, zim("help", "all").stdout
    frequent = [name for names in FREQUENT_COMMANDS.values() for name in names]
    assert len(frequent) <= 24
    assert all(f"\n  {name} " in short for name in frequent)
    assert all(f"\n  {name} " in full for name in ENTRIES_BY_NAME)
    assert len(short.splitlines()) <= 35


@pytest.mark.parametrize("family", SUBCOMMANDS)
def test_a_command_may_be_typed_after_its_family(home: Path, family: str) -> None:
    for name in SUBCOMMANDS[family]:
        alone, after_family = zim(name, "--help"), zim(family, name, "--help")
        assert (after_family.exit_code, after_family.stdout) == (0, alone.stdout)
        assert zim("help", family, name).stdout == zim("help", name).stdout
    in_session = CliRunner().invoke(cli, ["run", "-"], input=f"{family} {SUBCOMMANDS[family][0]} --help\n")
    assert "Usage: " in in_session.stdout
    wrong = zim("help", family, f"{SUBCOMMANDS[family][0]}x")
    assert wrong.exit_code == 2
    assert f"zim help {family} {SUBCOMMANDS[family][0]}" in wrong.stderr


@pytest.mark.parametrize("family", [each for each in SUBCOMMANDS if each not in ENTRIES_BY_NAME])
def test_a_family_alone_lists_its_commands(home: Path, family: str) -> None:
    for words in ([family], [family, "--help"], ["help", family]):
        listed = zim(*words).stdout
        assert all(f"{family} {name} " in listed for name in SUBCOMMANDS[family])
