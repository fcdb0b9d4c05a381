"""Attacks the file under an open process: it is replaced, rolled back, restored, removed, or has a second name.

What the process acknowledges after that must be in the file that has the name, and in no other history; else it must
be refused. The file that was put there must stay as it is.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from scripts.attacks.attack_target import ERRORS, Breach, ReportOutcome, Target, open_store_file
from zimcore.game import Refused
from zimcore.service import GameService


def rename_over(store_file: Path, older_copy: Path) -> None:
    """Renames an older copy over the store, as `mv` does."""
    os.replace(shutil.copy(older_copy, store_file.with_name("new.db")), store_file)


def remove_and_restore(store_file: Path, older_copy: Path) -> None:
    """Removes the store with all its files, and copies a backup to its place."""
    remove(store_file, older_copy)
    shutil.copy(older_copy, store_file)


def restore_beside_log(store_file: Path, older_copy: Path) -> None:
    """Removes the store alone, and copies a backup to its place: the write-ahead log of before is still there."""
    store_file.unlink()
    shutil.copy(older_copy, store_file)


def roll_back_rows(store_file: Path, older_copy: Path) -> None:
    """Rolls the store back as another program of SQLite can: in the same file, in a transaction."""
    with closing(sqlite3.connect(older_copy)) as source, closing(sqlite3.connect(store_file)) as destination:
        source.backup(destination)


def move_folder(store_file: Path, older_copy: Path) -> None:
    """Renames the folder of the store, and puts another one there."""
    store_file.parent.rename(store_file.parent.with_name("moved"))
    store_file.parent.mkdir()
    shutil.copy(older_copy, store_file)


def remove(store_file: Path, older_copy: Path) -> None:
    """Removes the store with all its files."""
    del older_copy
    for file in store_file.parent.glob(f"{store_file.name}*"):
        file.unlink()


WAYS: tuple[Callable[[Path, Path], None], ...] = (
    roll_back_rows,
    rename_over,
    remove_and_restore,
    restore_beside_log,
    move_folder,
    remove,
)
"""Ways to put another file in the place of the store."""


def replace_open_file(target: Target, tries: int, report: ReportOutcome) -> None:
    """Replaces the file of an open store, then plays and talks there."""
    for number in range(tries):
        replace, write = WAYS[number % len(WAYS)], WRITES[number // len(WAYS) % len(WRITES)]
        folder = target.new_folder("replaced")
        shutil.rmtree(target.folder / "moved", ignore_errors=True)
        store_file = Path(shutil.copy(target.store_file, folder / "games.db"))
        with open_store_file(store_file, "") as service:
            service.say("g1", "before", by="ann")
            read_all(service)
            replace(store_file, target.older_file)
            rows_before = stored_rows(store_file)
            try:
                what = f"{replace.__name__}: {write(service)}"
            except ERRORS:
                what = ""
                report("refused")
            except Exception as error:
                raise Breach(f"{replace.__name__}: a bug: {error!r}") from error
            check_file(store_file, rows_before, what)
            if what:
                report("acknowledged, and in the file that is there")


def read_all(service: GameService) -> None:
    """Reads everything, so that the process knows it."""
    for game in service.game_names():
        service.position(f"{game}/main")
        service.talk(game, by="ann")


def play(service: GameService) -> str:
    """Plays a move. Returns what is acknowledged."""
    answer = service.play("g0/main", "bid 3", by="ann")
    if isinstance(answer, Refused):
        raise Breach(f"a move is refused that is legal in both histories: {answer}")
    return answer.commit.digest


def talk(service: GameService) -> str:
    """Says something. Returns what is acknowledged."""
    return service.say("g0", "after the change", by="ann").text


WRITES: tuple[Callable[[GameService], str], ...] = (play, talk)


def stored_rows(store_file: Path) -> dict[tuple[str, int], tuple[object, ...]]:
    """The rows of a file as another program reads them now, by stream and revision; none if there is no file."""
    if not store_file.exists():
        return {}
    with closing(sqlite3.connect(f"file:{store_file}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT originator_id, originator_version, topic, state FROM stored_events")
        return {(stream, revision): rest for stream, revision, *rest in rows}


def check_file(store_file: Path, rows_before: dict[tuple[str, int], tuple[object, ...]], acknowledged: str) -> None:
    """Raises `Breach` unless the file has what it had, is whole, and has what was acknowledged."""
    rows_after = stored_rows(store_file)
    if rows_after.items() < rows_before.items() or not rows_before.items() <= rows_after.items():
        raise Breach(f"{acknowledged or 'a refused write'}: what was in the new file is changed or gone")
    if not acknowledged:
        if rows_after != rows_before:
            raise Breach("a write was refused, and is stored")
        return
    if not store_file.exists():
        raise Breach(f"{acknowledged} is acknowledged, and there is no file")
    with open_store_file(store_file) as fresh_service:
        if faults := fresh_service.check():
            raise Breach(f"{acknowledged} is acknowledged, and the file is damaged: {faults[0].what}")
        digests = [commit.digest for commit in fresh_service.log("g0/main", all_=True)]
        texts = [remark.text for remark in fresh_service.talk("g0", by="eve")]
    if not any(acknowledged.endswith(found) for found in (*digests, *texts)):
        raise Breach(f"{acknowledged} is acknowledged, and not in the file that is there")


def write_by_two_names(target: Target, tries: int, report: ReportOutcome) -> None:
    """Opens one file by two names, hard links, in two processes, and writes by both.

    What is acknowledged by a name must be there by it; if both are written by, everything by both.
    """
    for number in range(tries):
        folder = target.new_folder("names")
        files = Path(shutil.copy(target.store_file, folder / "games.db")), folder / "other.db"
        texts_by_name = list[str](), list[str]()
        if number % 2:  # the second name is there before anybody opens it
            os.link(*files)
        with open_store_file(files[0], "") as service:
            texts_by_name[0].extend(say_if_accepted(service, "before"))
            if not number % 2:
                os.link(*files)
            with other_writer(files[1]) as say_elsewhere:
                for turn in range(3):
                    texts_by_name[1].extend(say_elsewhere(f"{turn} by the second name"))
                    texts_by_name[0].extend(say_if_accepted(service, f"{turn} by the first name"))
        for file, texts in zip(files, texts_by_name, strict=True):
            check_texts(file, [*chain(*texts_by_name)] if all(texts_by_name) else texts)
        report("all that was acknowledged is there")


@contextmanager
def other_writer(file: Path) -> Iterator[Callable[[str], list[str]]]:
    """A process that opens a file; yields a function that says something there, as `say_if_accepted`."""
    context = get_context("spawn")  # a forked process would share what SQLite knows of open files
    connection, other_end = context.Pipe()
    process = context.Process(target=say_on_request, args=(file, other_end))
    process.start()
    other_end.close()

    def say(text: str) -> list[str]:
        connection.send(text)
        acknowledged_texts: list[str] = connection.recv()
        return acknowledged_texts

    try:
        yield say
    finally:
        connection.close()
        process.join()


def say_on_request(file: Path, connection: Connection) -> None:
    """Says each text that is received, and sends back what was acknowledged."""
    with suppress(EOFError):
        while True:
            text, acknowledged_texts = connection.recv(), list[str]()
            with suppress(*ERRORS), open_store_file(file, "") as service:
                acknowledged_texts = say_if_accepted(service, text)
            connection.send(acknowledged_texts)


def say_if_accepted(service: GameService, text: str) -> list[str]:
    """Says something. Returns what was acknowledged: nothing if it is refused."""
    try:
        return [service.say("g0", text, by="ann").text]
    except ERRORS:
        return []


def check_texts(file: Path, texts: list[str]) -> None:
    """Raises `Breach` unless all that was acknowledged is in a file, by its name."""
    if not texts:
        return
    with open_store_file(file) as service:
        try:
            found_texts = {remark.text for remark in service.talk("g0", by="eve")}
        except ERRORS as error:
            raise Breach(f"after writes by two names {file.name} can't be read: {error}") from error
    if lost_texts := {*texts} - found_texts:
        raise Breach(f"{len(lost_texts)} of {len(texts)} acknowledged writes are not in {file.name}")
