"""Attacks by data that names what runs: a store, an import, a script, requests, a server's games, a current folder.

Each names a callable of a module that leaves a mark as soon as it is imported. Nobody here has typed its name, so
there must be no mark, whatever is done with the data.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scripts.attacks.attack_target import ROOT, Breach, ReportOutcome, Target, user_in
from tests.cli.test_foreign_data import KILWA_FIRST, MARKING_MODULE, Machine, foreign_lines
from zimcore.bots.registry import load_level
from zimcore.server.endpoints.bot_players import BotPlayers
from zimcore.service import open_service

CALLABLES = ("marking:Marks", "marking:run", "marking:Marks:nodes=5", "marking:GAME", "marking:MARK")
COMMANDS_OF_A_PLAYER = (
    "show k",
    "do k pass",
    "bot k",
    "hint k",
    "advice k",
    "legal k",
    "story k",
    "log k",
    "verify --all",
    "fork k what-if --bots",
    "amend k@1 pass --then quick",
    "export k --certificate -",
)
"""What a person does with a game that came from elsewhere; `play` is typed into."""
IMPORTED_MODULES = ("rich", "platformdirs", "lark", "httpx", "marking", "antigravity", "cProfile", "psycopg")
WORKER_MODULES = ("multiprocessing", "socket", "pickle")
"""Modules that Zim imports late, or only if data names them; and those that a worker process imports first."""


def name_callables(target: Target, tries: int, report: ReportOutcome) -> None:
    """Names a callable by each kind of data in turn, and looks for its mark."""
    for number in range(tries):
        door_name = [*DOORS][number % len(DOORS)]
        with machine_in(target) as machine:
            callable_name = CALLABLES[number // len(DOORS) % len(CALLABLES)]
            DOORS[door_name](machine, callable_name)
            if machine.was_run:
                raise Breach(f"{door_name}: {callable_name} has run, and nobody has typed its name")
        report(f"{door_name}: nothing ran")


@contextmanager
def machine_in(target: Target) -> Iterator[Machine]:
    """A machine with the marking module on its import path, as if it were installed."""
    machine = Machine(target.new_folder("machine"))
    machine.write("marking.py", MARKING_MODULE)
    sys.path.insert(0, str(machine.folder))
    load_level.cache_clear()  # the process of a program knows the import path of its start
    try:
        with user_in(machine.folder):
            yield machine
    finally:
        sys.path.remove(str(machine.folder))
        load_level.cache_clear()
        sys.modules.pop("marking", None)


def play_foreign_store(machine: Machine, callable_name: str) -> None:
    """Opens a store whose seats are for the callable, and plays there."""
    machine.begin_foreign_game(callable_name)
    play_game(machine)


def play_game(machine: Machine, store: str = "") -> None:
    """Does with a game what a player does, in the shell and at the prompt."""
    for line in COMMANDS_OF_A_PLAYER:
        machine.zim(*line.split(), store=store)
    machine.zim("play", "k", store=store, stdin="show\npass\nbot\nundo\n")


def import_game(machine: Machine, callable_name: str) -> None:
    """Imports such a game: as an export of its store, and as a certificate."""
    machine.begin_foreign_game(callable_name)
    machine.zim("export", "--jsonl", "all.jsonl")
    machine.zim("export", "k", "--certificate", "k.cert")
    kind_file = machine.write("kind.cert", (machine.folder / "k.cert").read_text().replace("zimbabwe", callable_name))
    for file in ("all.jsonl", "k.cert", kind_file):
        store = file.rpartition("/")[2].replace(".", "-")
        machine.zim("verify", file, store=store)
        machine.zim("import", file, store=store)
        machine.zim("import", file, "--as-recorded", store=store)
        play_game(machine, store)


def run_script(machine: Machine, callable_name: str) -> None:
    """Runs a script with lines that name the callable; each is the last, as an error ends a script."""
    for number, line in enumerate(foreign_lines(callable_name)):
        machine.zim("run", "-", store=f"store-{number}", stdin=f"new k {' '.join(KILWA_FIRST)}\n{line}\npass\n")


def send_requests(machine: Machine, callable_name: str) -> None:
    """Sends requests that name the callable."""
    machine.zim("new", "k", *KILWA_FIRST)
    requests = [
        {"new": {"name": "k2", "bots": f"kilwa:{callable_name}"}},
        {"bot": {"place": "k", "level": callable_name}},
        {"bot": {"place": "k", "level": callable_name, "seat": "kilwa"}},
        {"do": {"place": "k", "commands": ["pass"]}},
        {"check": {"game": callable_name}},
        {"arena": {"bots": [callable_name, "random"], "games": 1}},
        {"run": {"file": "-", "allow": [callable_name]}},
    ]
    machine.zim("pipe", stdin="\n".join(map(json.dumps, requests)))


def read_foreign_files(machine: Machine, callable_name: str) -> None:
    """Reads house rules, logs, words and styles that name the callable."""
    sheet = machine.write("house.toml", f'game = "{callable_name}"\nbots = "{callable_name}"\n')
    machine.zim("new", "k", "--house-rules", sheet)
    log = machine.write("table.log", f"new players=3 seed=7 bots=kilwa:{callable_name}\nbot {callable_name}\n")
    words = machine.write("words", f"start = {callable_name}\n")
    style = machine.write("style.toml", f'reader = "{callable_name}"\n[words]\nstart = "{callable_name}"\n')
    for options in ([], ["--words", words], ["--style", style], ["--repair", "--into", "repaired.zim"]):
        machine.zim("audit", log, *options)


def serve_game(machine: Machine, callable_name: str) -> None:
    """Lets a server's programs look at a game whose seats are for the callable."""
    machine.begin_foreign_game(callable_name)
    service, played_games = open_service(f"sqlite:///{machine.folder}/zim.db"), list[str]()
    players = BotPlayers(lambda: service, played_games.append)
    logging.disable(logging.WARNING)  # it warns that a program does not play
    try:
        players._play_or_log(service, "k")
    finally:
        logging.disable(logging.NOTSET)
        players.close()
        service.store.close()


def work_in_folder(machine: Machine, callable_name: str) -> None:
    """Starts Zim in a folder of downloads that has modules with the names of those that it imports."""
    downloads = machine.folder / "downloads"
    downloads.mkdir()
    for module in (*IMPORTED_MODULES, *WORKER_MODULES):
        machine.write(f"downloads/{module}.py", MARKING_MODULE)
    import_path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    # A seat for the callable, as `bots=` typed by a person: only the path matters here.
    new_words = ["--color", "always", "new", "k", *KILWA_FIRST, f"bots=kilwa:{callable_name}"]
    for words in (new_words, ["arena", "random", "peer", "--players", "2", "--games", "2", "--workers", "2"]):
        subprocess.run(
            [sys.executable, "-c", "from zimcli.__main__ import main; main()", "--store", "sqlite:///zim.db", *words],
            env={**os.environ, "PYTHONPATH": import_path},
            cwd=downloads,
            capture_output=True,
            check=False,
        )
    if (downloads / "MARK").exists():
        raise Breach("a module of the current folder has run")


DOORS: dict[str, Callable[[Machine, str], None]] = {
    "a current folder": work_in_folder,
    "a server": serve_game,
    "requests": send_requests,
    "files": read_foreign_files,
    "a script": run_script,
    "an import": import_game,
    "a store": play_foreign_store,
}
"""Ways by which data comes here, the quickest first."""
