"""Data names nothing that runs: each row of the table in docs/auditing.md is tried with callables that leave a mark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from tests.zimbabwe.test_recordings import data_of, pack
from zimcli.main import cli
from zimcli.session.allowed_programs import allowed_programs_file
from zimcli.shell.import_path import environment_of_user, leave_out_current_folder, without_current_folder
from zimcore.bots.registry import ConfiguredBot, load_level, parse_bot
from zimcore.game import GameError
from zimcore.server.endpoints.bot_players import subprocess_bot
from zimcore.service import open_service

ROOT = Path(__file__).parents[2]
CALLABLES = (
    "marking:Marks",
    "marking:run",
    "marking:GAME",
    "marking:Marks:nodes=5",
    "http.server:test",
    "./marking.py",
)
"""What foreign data may name, in the hope that it is called or imported."""
KILWA_FIRST = ("players=kilwa,zulu", "order=kilwa,zulu", "seed=3")
MARKING_MODULE = """
from pathlib import Path

MARK = Path(__file__).with_name("MARK")
MARK.write_text("imported")

def run(*arguments):
    MARK.write_text("called")

class Marks:
    def choose(self, view, nodes, rng):
        from zimcore.bots.bot import Choice
        return Choice(view.game.rules.legal(view.state, view.seat).sample(rng), "drawn")
"""


class Machine(NamedTuple):
    """A folder with a module that leaves a mark when it is imported, and `zim` there, as the shell runs it."""

    folder: Path

    def zim(self, *words: str, store: str = "", stdin: str = "") -> Result:
        url = f"sqlite:///{self.folder}/{store or 'zim'}.db"
        return CliRunner().invoke(cli, ["--store", url, *words], input=stdin)

    def write(self, name: str, text: str) -> str:
        file = self.folder / name
        file.write_text(text)
        return str(file)

    @property
    def was_run(self) -> bool:
        """Whether the module has been imported since the last time."""
        mark = self.folder / "MARK"
        is_there = mark.exists()
        mark.unlink(missing_ok=True)
        return is_there

    def begin_foreign_game(self, callable_name: str, store: str = "") -> None:
        """A game whose seats are for a program that nobody here has named, as a store of elsewhere has it."""
        self.zim("new", "k", *KILWA_FIRST, store=store)
        self.seat("k", callable_name, store)

    def seat(self, game: str, callable_name: str, store: str = "") -> None:
        """Seats a program as no command of a script can: as somebody who writes the store."""
        service = open_service(f"sqlite:///{self.folder}/{store or 'zim'}.db")
        for seat in service.position(f"{game}@0").seats:
            service.seat_bot(game, seat, callable_name, by="mallory")
        service.store.close()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    (tmp_path / "marking.py").write_text(MARKING_MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    load_level.cache_clear()  # the process of a bot knows the import path of its start
    yield Machine(tmp_path)
    load_level.cache_clear()
    sys.modules.pop("marking", None)


def use_game(machine: Machine, place: str = "k", store: str = "") -> str:
    """What is printed by commands that look at a game, play it and let programs play."""
    lines = [
        f"show {place}",
        "advice",
        f"do {place} pass",
        "fork what-if --bots",
        "hint",
        "bot",
        "amend @1 pass --then quick",
    ]
    outputs = [machine.zim(*line.split(), *([] if place in line else [place]), store=store).output for line in lines]
    outputs += [machine.zim("verify", "--all", store=store).output]
    outputs += [machine.zim("play", place, store=store, stdin="show\nundo\nlegal\n").output]
    return "\n".join(outputs)


def try_store(machine: Machine) -> None:
    for callable_name in CALLABLES:
        machine.begin_foreign_game(callable_name, store := callable_name.translate(str.maketrans(":./=", "____")))
        assert "quick --for kilwa" in use_game(machine, store=store), "what to type is said"


def try_certificate(machine: Machine) -> None:
    machine.begin_foreign_game("marking:Marks")
    assert machine.zim("export", "k", "--certificate", "k.cert").exit_code == 0
    certificate = (machine.folder / "k.cert").read_text()
    machine.write("kind.cert", certificate.replace("zimbabwe", "marking:GAME"))
    for file in ("k.cert", "kind.cert"):
        for words in (("verify", file), ("import", file), ("audit", file), ("import", file, "--as-recorded")):
            machine.zim(*words, store="elsewhere")
    use_game(machine, store="elsewhere")


def try_script(machine: Machine) -> None:
    for callable_name in CALLABLES:
        for line in foreign_lines(callable_name):
            assert machine.zim("run", "-", stdin=f"new k players=2 seed=7\n{line}\n").exit_code in (1, 2), line
            machine.zim("play", "k", stdin=line)
            machine.zim("delete", "k")


def foreign_lines(callable_name: str) -> Iterator[str]:
    """The lines that name a callable in each way that a command knows."""
    yield f"new k2 players=2 bots=kilwa:{callable_name}"
    yield f"bot {callable_name}"
    yield f"bot {callable_name} --for kilwa"
    yield f"arena {callable_name} random --games 1"
    yield f"whatif --bots {callable_name}"
    yield f"amend k@1 pass --then {callable_name}"
    yield f"check {callable_name}"
    yield f"learn {callable_name}"
    yield f"bot serve zim_link_x {callable_name}"
    yield f"bisect run {callable_name}"
    yield f"config hooks.on_move {callable_name}"
    yield f"config aliases.show {callable_name}"
    yield f"run --allow {callable_name} -"
    yield f"new k3 --game {callable_name}"


def try_requests(machine: Machine) -> None:
    machine.zim("new", "k", "players=2", "seed=7")
    for name in CALLABLES:
        requests = [
            {"new": {"name": "k2", "bots": f"kilwa:{name}"}},
            {"bot": {"place": "k", "level": name}},
            {"check": {"game": name}},
            {"learn": {"game": name}},
            {"arena": {"bots": [name, "random"], "games": 1}},
            {"run": {"file": "-", "allow": [name]}},
        ]
        replies = machine.zim("pipe", stdin="\n".join(map(json.dumps, requests))).stdout.splitlines()
        assert all(json.loads(reply)["code"] for reply in replies)
        assert len(replies) == len(requests)


def try_sheet(machine: Machine) -> None:
    for name in CALLABLES:
        sheet = machine.write("house.toml", f'game = "{name}"\nbots = "{name}"\n"{name}" = "{name}"\n')
        assert machine.zim("new", "k", "--house-rules", sheet).exit_code == 2


def try_style(machine: Machine) -> None:
    log = machine.write(
        "table.log", "new players=3 seed=7 bots=kilwa:marking:Marks\nMutapa: start g7\nbot marking:Marks\n"
    )
    for name in CALLABLES:
        words = machine.write("words", f"start = {name}\n{name} = start\n")
        style = machine.write("style.toml", f'reader = "{name}"\n[words]\nstart = "{name}"\n')
        for options in ([], ["--words", words], ["--style", style], ["--repair", "--into", "repaired.zim"]):
            machine.zim("audit", log, *options)
    machine.zim("run", "repaired.zim")


def try_witness(machine: Machine) -> None:
    machine.begin_foreign_game("marking:Marks")
    witness = machine.folder / "w"
    machine.zim("witness", str(witness))
    witness.write_text(witness.read_text().replace('"k"', '"marking:Marks"'))
    machine.zim("verify", "--all", "--since", str(witness))


def try_saved_game(machine: Machine) -> None:
    value = data_of("g01-2p.old-lz.txt")
    value[0][0][:2] = ["marking:Marks", "$(touch mark)"]
    value[7][21][3] = ["marking:run"]
    path = machine.write("saved.txt", pack(value))
    assert machine.zim("import", str(path), "--as", "k").exit_code == 0
    assert machine.zim("audit", str(path)).exit_code == 1


def try_server(machine: Machine) -> None:
    for name in ("marking:Marks", "marking:run", "http.server:test"):
        with pytest.raises(GameError, match="only programs that are installed here can play here"):
            subprocess_bot(parse_bot(name))


def try_folder(machine: Machine) -> None:
    """Modules of the current folder, under the names of those that `zim` or its worker processes import late."""
    for module in ("rich", "platformdirs", "lark", "greedy", "resvg_py", "antigravity", "multiprocessing", "socket"):
        machine.write(f"{module}.py", MARKING_MODULE)

    environment = {**os.environ, "XDG_DATA_HOME": str(machine.folder), "PYTHONPATH": f"{ROOT}{os.pathsep}"}

    def zim(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "zimcli", "--store", f"sqlite:///{machine.folder}/zim.db", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert "no module greedy" in zim("--color", "always", "new", "k", *KILWA_FIRST, "bots=kilwa:greedy:Marks").stderr
    arena = ("arena", "random", "peer", "--players", "2", "--games", "2", "--workers", "2")
    assert [zim(*words).returncode for words in (arena, ("check", "africana", "--games", "1"))] == [0, 0]


TRIALS: dict[str, Callable[[Machine], None]] = {
    "a store": try_store,
    "an export, a certificate": try_certificate,
    "a script": try_script,
    "requests to `zim pipe`": try_requests,
    "a sheet of house rules": try_sheet,
    "a log, a style, a file of words": try_style,
    "a game saved from a site": try_saved_game,
    "a witness, a log of witnesses": try_witness,
    "games on a server, and its answers": try_server,
    "the current folder": try_folder,
}
"""What tries each row of the table "What foreign data can do"."""


def test_each_input_of_the_table_is_tried() -> None:
    page = (ROOT / "docs" / "auditing.md").read_text()
    table = page.partition("## What foreign data can do")[2].partition("\n## ")[0]
    assert [line.split("|")[1] for line in table.splitlines() if line.startswith("|")][2:] == [*TRIALS]


@pytest.mark.parametrize("row", TRIALS)
def test_nothing_foreign_runs(machine: Machine, row: str) -> None:
    TRIALS[row](machine)
    assert not machine.was_run
    assert not allowed_programs_file().exists(), "nothing but a person allows a program"


def test_the_mark_is_seen_once_a_person_names_the_program(machine: Machine) -> None:
    machine.begin_foreign_game("marking:Marks")
    assert machine.zim("bot", "k", "marking:Marks", "--for", "kilwa").exit_code == 0
    assert machine.was_run


@pytest.mark.parametrize("command", ["new", "bot"])
def test_a_program_that_you_named_plays_until_its_seat_is_given_back(machine: Machine, command: str) -> None:
    if command == "new":
        machine.zim("new", "k", *KILWA_FIRST, "bots=zulu:marking:Marks")
    else:
        machine.zim("new", "k", *KILWA_FIRST)
        machine.zim("bot", "k", "marking:Marks", "--for", "zulu")
    first_start = json.loads(machine.zim("legal", "k", "--json").stdout)["legal"][0]
    assert "zulu" in machine.zim("do", "k", first_start).stdout
    assert machine.was_run
    machine.zim("bot", "k", "people", "--for", "zulu")
    assert json.loads(allowed_programs_file().read_text()) == {}
    machine.seat("k", "marking:Marks")
    machine.was_run  # noqa: B018  the mark of before is taken away
    use_game(machine)
    assert not machine.was_run


def test_a_name_is_allowed_for_one_game_of_one_store(machine: Machine) -> None:
    machine.zim("new", "mine", *KILWA_FIRST, "bots=kilwa:marking:Marks")
    assert machine.was_run
    machine.begin_foreign_game("marking:Marks")
    use_game(machine)
    assert not machine.was_run
    machine.zim("export", "mine", "--certificate", "mine.cert")
    machine.zim("import", "mine.cert", store="elsewhere")
    machine.seat("mine", "marking:Marks", "elsewhere")
    use_game(machine, "mine", store="elsewhere")
    assert not machine.was_run


@pytest.mark.parametrize("door", ["run", "pipe"])
def test_you_can_allow_a_program_for_a_run(machine: Machine, door: str) -> None:
    lines = {
        "run": f"new k {' '.join(KILWA_FIRST)} bots=kilwa:marking:Marks\n",
        "pipe": json.dumps(
            {"new": "k", **dict(word.split("=") for word in KILWA_FIRST), "bots": "kilwa:marking:Marks"}
        ),
    }
    words = [door, "--allow", "marking:Marks", *(["-"] if door == "run" else [])]
    assert machine.zim(*words, stdin=lines[door]).exit_code == 0
    assert machine.was_run
    assert not allowed_programs_file().exists(), "it was allowed for the run only"
    use_game(machine)
    assert not machine.was_run


def test_what_is_loaded_is_a_bot_before_it_is_called(machine: Machine) -> None:
    machine.zim("new", "k", "players=2", "seed=7")
    for name in ("marking:run", "http.server:test", "subprocess:Popen", "cProfile:main", "marking:MARK"):
        result = machine.zim("bot", "k", name)
        assert result.exit_code == 2
        assert "is no bot: a bot is a class with a method choose" in result.stderr
    assert (machine.folder / "MARK").read_text() == "imported"


def test_what_is_no_bot_gets_no_seat_in_optimized_python_either(machine: Machine) -> None:
    """`python -O` leaves out assertions, so that no check may be one."""
    machine.zim("new", "k", *KILWA_FIRST)
    store = f"sqlite:///{machine.folder}/zim.db"
    for words in (
        ("bot", "k", "statistics:NormalDist", "--for", "kilwa"),
        ("bot", "serve", "k", "statistics:NormalDist"),
    ):
        command = [sys.executable, "-O", "-m", "zimcli", "--store", store, *words]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (result.returncode, "is no bot" in result.stderr) == (2, True), result.stderr
    assert not allowed_programs_file().exists()


@pytest.mark.parametrize("words", [("show", "k"), ("do", "k", "start f6"), ("fork", "k@0", "what-if", "--bots")])
def test_a_program_that_waits_for_you_is_noted_once(machine: Machine, words: tuple[str, ...]) -> None:
    machine.begin_foreign_game("marking:Marks")
    result = machine.zim(*words)
    assert result.exit_code == 0
    assert result.stderr.count("you have not allowed it") == 1, result.stderr
    assert f"zim bot k/{'what-if' if 'what-if' in words else 'main'} marking:Marks --for" in result.stderr


def test_a_bot_of_a_name_alone_does_not_run() -> None:
    with pytest.raises(GameError, match="only programs that are installed here"):
        assert ConfiguredBot("tests.bots.foreign_bots:GoodBot").bot
    assert ConfiguredBot("tests.bots.foreign_bots:GoodBot").allowed().bot


def test_programs_of_the_user_have_the_import_path_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zim keeps the current folder from its own processes, not from a hook in Python."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", f"/lib{os.pathsep}")
    monkeypatch.setenv("PYTHONSAFEPATH", "")  # so that it is as before after the test
    monkeypatch.delenv("PYTHONSAFEPATH")
    leave_out_current_folder()
    assert (os.environ["PYTHONPATH"], os.environ["PYTHONSAFEPATH"]) == ("/lib", "1")
    environment = environment_of_user()
    assert (environment["PYTHONPATH"], "PYTHONSAFEPATH" in environment) == (f"/lib{os.pathsep}", False)


def test_the_current_folder_is_imported_from_only_if_you_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert without_current_folder(["", str(tmp_path), "/lib"], "/lib:") == ["/lib"]
    for named in (".", str(tmp_path), f"/lib{os.pathsep}."):
        assert without_current_folder([str(tmp_path), "/lib"], named) == [str(tmp_path), "/lib"]
    installed = [os.path.dirname(os.__file__), str(tmp_path)]
    assert without_current_folder([str(tmp_path), *installed], "") == installed, "an editable package is installed"
    monkeypatch.chdir(ROOT)
    assert without_current_folder([str(ROOT)], "") == [str(ROOT)], "zim itself is there"
