"""Attacks by outputs: every option that writes a file is pointed at the store, by each of its names.

Each must be refused, in the shell and in a script, and the store must stay the file that it was. So must a file of the
user's, unless `--force` is given; and a script must write nothing outside the folder that it was given.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from scripts.attacks.attack_target import Breach, ReportOutcome, Target, open_store_file, user_in
from tests.cli.conftest import Zim, make_zim
from zimcli.shell.registry import ENTRIES_BY_NAME

WRITERS = {
    "export --certificate": "export g0 --certificate {file}",
    "export --certificates": "export --certificates {file}",
    "export --jsonl": "export --jsonl {file}",
    "export --tables": "export --tables {file}",
    "witness FILE": "witness {file}",
    "witness --append FILE": "witness --append {file}",
    "board --svg": "board g0 --svg {file}",
    "board --png": "board g0 --png {file}",
    "analyse --svg": "analyse g0 --nodes 1 --workers 1 --svg {file}",
    "replay --html": "replay g0 --html {file}",
    "audit --into": "audit table.log --repair --into {file}",
    "audit --learn": "audit table.log --learn {file}",
    "sign FILE": "sign {file}",
    "arena --into": "arena random random --players 2 --games 2 --workers 1 --into {file}",
    "backup FILE": "backup {file}",
    "db NEW": "db salvage sqlite:///{file}",
    "db upgrade NEW": "db upgrade {file}",
    "new-game NAME": "new-game {file}",
}
"""What writes files: an option or argument, and a line that has it write `{file}`."""
FILE_WRITERS = (
    *("export --certificate", "export --jsonl", "witness FILE", "board --svg", "replay --html", "audit --into"),
    *("board --png", "backup FILE"),
)
"""Writers of new files. Others extend a file, or write folders."""
OTHERS = {
    *("new --house-rules", "run FILE", "verify FILE", "verify --signed-by", "verify --against", "audit FILE"),
    *("audit --words", "audit --style", "doctor --backup", "import FILE", "sign --key", "practise --from"),
    *(
        "rules --recorded",
        "run --folder",
        "pipe --folder",
        "import --house-rules",
        "audit --house-rules",
        "stats --house-rules",
    ),
}
"""Options and arguments that name files or folders, and write none."""
NEVER_TRIED = {"serve --notices"}
"""It starts a server; the file is written once, if there is none."""


class Place(NamedTuple):
    """A name for the store, or for what belongs to it, as it is typed."""

    what: str
    name: str
    make: Callable[[], object] = lambda: None


def link_twice(name: str) -> None:
    """Makes a link to a link to a file."""
    os.symlink(name, "link1")
    os.symlink("link1", "link2")


PLACES = (
    Place("the store", "games.db"),
    Place("its whole path", "{folder}/games.db"),
    Place("another spelling", "sub/../games.db", lambda: os.makedirs("sub", exist_ok=True)),
    Place("its write-ahead log", "games.db-wal"),
    Place("its shared memory", "games.db-shm"),
    Place("a symbolic link to it", "link", lambda: os.symlink("games.db", "link")),
    Place("a link to a link", "link2", lambda: link_twice("games.db")),
    Place("a link to its log", "wal-link", lambda: os.symlink("games.db-wal", "wal-link")),
    Place("a hard link to it", "hard", lambda: os.link("games.db", "hard")),
    Place("another store", "other.db"),
    Place("a link to another store", "other-link", lambda: os.symlink("other.db", "other-link")),
)


def write_over_store(target: Target, tries: int, report: ReportOutcome) -> None:
    """Points each option that writes at the store, by each of its names and through each door, or a part of these."""
    check_all_are_listed()
    write_over_files(target, tries, report)
    # Writers change fastest, so that a few tries have all of them, and all places.
    for number in range(tries):
        writer = [*WRITERS][number % len(WRITERS)]
        place = PLACES[(number + number // len(WRITERS)) % len(PLACES)]
        door = DOORS[number // len(WRITERS) % len(DOORS)]
        with store_in(target) as (zim, folder):
            place.make()
            check_refused(zim, folder, WRITERS[writer].format(file=place.name.format(folder=folder)), door)
        report("refused, store as it was")


def check_all_are_listed() -> None:
    """Raises `Breach` if an option or argument names a file, and is not listed here."""
    names = {name for command in ENTRIES_BY_NAME for name in file_parameters(command, load_command(command))}
    listed_names = {*WRITERS, *OTHERS, *NEVER_TRIED}
    if unlisted_names := names - listed_names:
        raise Breach(f"it names a file, and nobody has tried what it does with the store: {', '.join(unlisted_names)}")


def load_command(name: str) -> click.Command:
    """A command of the shell."""
    return ENTRIES_BY_NAME[name].load_command()


def file_parameters(name: str, command: click.Command) -> Iterator[str]:
    """The options and arguments of a command that name files: by their type, or by what its help calls them."""
    for parameter in command.params:
        is_argument = isinstance(parameter, click.Argument)
        label = str(parameter.metavar or (parameter.human_readable_name if is_argument else "")).upper()
        last_word = label.strip("[].").rpartition(" ")[2]
        if isinstance(parameter.type, click.Path) or last_word in ("FILE", "DIR", "STORE", "NEW"):
            yield f"{name} {last_word if is_argument else parameter.opts[0]}"


@contextmanager
def store_in(target: Target) -> Iterator[tuple[Zim, Path]]:
    """An open store, another one, a log and a file of the user's, in a folder that is the current one."""
    folder = target.new_folder("outputs")
    with user_in(folder):
        for name in ("other.db", "games.db"):
            (folder / name).write_bytes(target.store_file.read_bytes())
        (folder / "mine.txt").write_text("mine")
        (folder / "table.log").write_text("new k players=2 seed=7\nstart g7\nbuld d4\n")
        with open_store_file(folder / "games.db", "") as service:
            service.say("g0", "now it has a write-ahead log", by="ann")
            yield make_zim(service), folder


def check_refused(zim: Zim, folder: Path, line: str, run_line: RunLine) -> None:
    """Runs a line that writes over a store. Raises `Breach` if it succeeds, or a file of a store is another one."""
    states = {name: store_state(folder / name) for name in ("games.db", "other.db")}
    exit_code = run_line(zim, line)
    for name, state in states.items():
        if store_state(folder / name) != state:
            raise Breach(f"{line}: {name} is not the store that it was")
    if exit_code == 0:
        raise Breach(f"{line}: done, where a store is")


def store_state(path: Path) -> object:
    """Which files a store has, and all its rows."""
    side_files = [Path(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")]
    inodes = [os.lstat(file).st_ino for file in side_files if path.name == "games.db"]
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            return inodes, connection.execute("SELECT * FROM stored_events ORDER BY 1, 2").fetchall()
        except sqlite3.Error as error:
            return inodes, str(error)


def type_line(zim: Zim, line: str) -> int:
    """Types a line in the shell; returns the exit code."""
    return zim(*line.split()).exit_code


def force_line(zim: Zim, line: str) -> int:
    """Types a line with `--force`, where there is that option."""
    return zim(*line.split(), "--force").exit_code


def run_script(zim: Zim, line: str) -> int:
    """Runs a line as a script."""
    return zim("run", "-", stdin=f"{line}\n").exit_code


RunLine = Callable[[Zim, str], int]
DOORS: Sequence[RunLine] = (type_line, run_script, force_line)


def write_over_files(target: Target, tries: int, report: ReportOutcome) -> None:
    """Points writers at a file of the user's, and scripts at files outside their folder."""
    for writer in FILE_WRITERS[:tries]:
        for name, run_line in (("mine.txt", type_line), ("mine.txt", run_script), ("../outside", run_script)):
            with store_in(target) as (zim, folder):
                line, outside_file = WRITERS[writer].format(file=name), folder.parent / "outside"
                outside_file.unlink(missing_ok=True)
                if run_line(zim, line) == 0 or (folder / "mine.txt").read_text() != "mine" or outside_file.exists():
                    raise Breach(f"{line}: done, in {run_line.__name__}")
        report("refused, file as it was")
