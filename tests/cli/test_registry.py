"""The registry agrees with the commands' own help, and loads quickly."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Zim
from zimcli.shell.registry import ENTRIES, SUBCOMMANDS, CommandEntry
from zimcore.service import open_service

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_line_in_the_registry_is_the_first_of_the_docstring(entry: CommandEntry) -> None:
    assert entry.load_command().short_help == entry.help


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_each_command_has_an_example_of_itself(entry: CommandEntry) -> None:
    assert f"zim {entry.name}" in (entry.load_command().help or "").partition("Example:")[2]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_registry_says_of_each_argument_what_it_is(entry: CommandEntry) -> None:
    arguments = [parameter for parameter in entry.load_command().params if isinstance(parameter, click.Argument)]
    assert len(arguments) == len(entry.argument_kinds)
    assert entry.takes_a_place == (next((argument.name for argument in arguments), "") == "place")
    for argument, kind in zip(arguments, entry.argument_kinds, strict=True):
        assert (kind == "choice") == isinstance(argument.type, click.Choice)
        assert (kind == "number") == isinstance(argument.type, click.types.IntParamType)


@pytest.mark.parametrize("page", ["reference", "questions"])
def test_a_generated_page_says_what_the_help_says(page: str) -> None:
    """The reference has the help of all commands, so that a changed option shows in its diff."""
    process = subprocess.run(
        [sys.executable, "-m", f"scripts.generated.{page}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    written_page = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    assert process.stdout == written_page, f"python scripts/generated/{page}.py > docs/{page}.md"


def test_output_of_help_in_a_session(zim: Zim, snapshot: SnapshotAssertion) -> None:
    assert zim("run", "-", stdin="help").stdout == snapshot


def test_help_imports_no_command_and_nothing_slow() -> None:
    code = (
        "import sys, zimcli.main\n"
        "try: zimcli.main.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "slow = ('zimcli.commands', 'zimcore', 'event_store', 'eventsourcing', 'prompt_toolkit', 'rich')\n"
        "print(*(name for name in slow if name in sys.modules), sep=' ', file=sys.stderr, end='')"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.stderr == ""


def test_a_plain_list_of_games_imports_no_expressions() -> None:
    code = "import sys, zimcli.commands.games; print(*{'zimcore.history', 'zimcli.output.errors'} & {*sys.modules})"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == ""


def test_show_imports_nothing_slow() -> None:
    code = (
        "import sys, zimcli.commands.show\n"
        "slow = ('_hashlib', 'asyncio', 'dataclasses', 'numpy', 'pathlib', 'prompt_toolkit', 'rich')\n"
        "print(*(name for name in slow if name in sys.modules), sep=' ', file=sys.stderr, end='')"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stderr == ""


def test_a_move_imports_no_planner_and_no_subprocess(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'games.db'}"
    with (service := open_service(store)).store:
        service.new("zimbabwe", {"players": "2", "seed": "1"}, name="kilwa-7", by="anna")
    code = (
        "import sys, zimcli.main\n"
        f"try: zimcli.main.cli.main(['--store', '{store}', 'do', 'kilwa-7', 'start f4'])\n"
        "except SystemExit as end: print(end.code)\n"
        "print(*{'subprocess', 'zimcore.games.zimbabwe.planner', 'zimcore.games.zimbabwe.legal'} & {*sys.modules})"
    )
    environment = os.environ | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert process.stdout.splitlines()[-2:] == ["0", ""]


def test_commands_are_click_commands() -> None:
    assert all(isinstance(entry.load_command(), click.Command) for entry in ENTRIES)


@pytest.mark.parametrize(("family", "name"), [(family, name) for family in SUBCOMMANDS for name in SUBCOMMANDS[family]])
def test_the_help_of_a_command_says_its_name_in_its_family(zim: Zim, family: str, name: str) -> None:
    for words in ((name, "--help"), (family, name, "--help"), ("help", name)):
        assert zim(*words).stdout.rstrip().endswith(f"zim {family} {name}"), words
