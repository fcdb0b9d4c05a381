"""Power cuts: builds the disks that a crash may leave, from the system calls of a scenario, and opens each of them.

A disk must keep what was synced. Of the rest, any part may survive, in sectors of 512 bytes; so may any change of names
in a folder that was not synced since. SQLite's shared memory (`-shm`) is lost.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import NamedTuple

from scripts.attacks.attack_target import ERRORS, Breach, NotTried, ReportOutcome, Target, check_store, read_games
from scripts.attacks.attack_writers import REQUESTS, Request, open_game
from zimcore.service import GameService

SECTOR_SIZE = 512
TRACED_CALLS = "openat,close,write,pwrite64,ftruncate,fsync,fdatasync,link,linkat,rename,unlink,unlinkat,mkdir,rmdir"
ACKNOWLEDGED = b"acknowledged "
REOPEN_EVERY = 4
"""Operations between two openings of the store; closing it empties its write-ahead log into the file."""

Operation = Callable[[GameService], object]
SCENARIO: Sequence[Request | Operation] = (
    *REQUESTS[:12],
    lambda service: service.say("g", "well played", by="ben"),
    lambda service: service.adopt(service.certificate("g/main"), "copy", by="ann"),
    *REQUESTS[12:],
    lambda service: service.new("nim", {"stones": "20", "seed": "7"}, name="h", by="ann"),
    lambda service: service.play("h", "take 3", by="ann"),
    lambda service: service.say("h@1", "oh", by="ben"),
    lambda service: service.delete("copy", by="ann"),
    lambda service: service.remove("h", by="ann"),
    lambda service: service.fork("g/main@1", "last", by="ann"),
)
"""The scenario: each kind of operation in one game, then chat, an import, and deleted games."""


def play_scenario(url: str) -> None:
    """The traced process: runs the operations, and prints the content of the store after each."""
    with ExitStack() as stack:
        for number, operation in enumerate(SCENARIO):
            if number % REOPEN_EVERY == 0:
                stack.close()
                service = open_game(url)
                stack.enter_context(service.store)
            do_operation(service, number, operation)
            print(ACKNOWLEDGED.decode() + repr(read_games(service)), flush=True)


def do_operation(service: GameService, number: int, operation: Request | Operation) -> None:
    """Runs an operation. A `Request` can be retried: it gives the same answer again, and does nothing more."""
    if isinstance(operation, Request):
        operation.send(service, "g", number)
    else:
        operation(service)


class Change(NamedTuple):
    """The effect of a system call: bytes written at an offset, a truncation (None), or changed names."""

    offset: int = 0
    written_bytes: bytes | None = None
    names: Mapping[str, File | None] = {}


SectorChoice = Callable[[int], Sequence[bool]]
"""Given the number of sectors of a change, says which of them reached the disk."""


class File:
    """A file, or a folder: what is certainly on the disk, and the changes that may be."""

    def __init__(self) -> None:
        self.synced_bytes = b""
        self.pending_changes: list[Change] = []

    def content(self, choose_sectors: SectorChoice) -> bytes:
        """The bytes of the file after a power cut."""
        content = bytearray(self.synced_bytes)
        for offset, written_bytes, _ in self.pending_changes:
            if written_bytes is None:
                if choose_sectors(1)[0]:
                    content = content[:offset].ljust(offset, b"\0")
                continue
            # Sectors are counted from the start of the file: a write may begin in the middle of one.
            write_end = offset + len(written_bytes)
            sectors = range(offset // SECTOR_SIZE, (write_end - 1) // SECTOR_SIZE + 1)
            for sector, is_kept in zip(sectors, choose_sectors(len(sectors)), strict=True):
                if is_kept:
                    start_offset = max(sector * SECTOR_SIZE, offset)
                    end_offset = min((sector + 1) * SECTOR_SIZE, write_end)
                    content.extend(bytes(max(start_offset - len(content), 0)))
                    content[start_offset:end_offset] = written_bytes[start_offset - offset : end_offset - offset]
        return bytes(content)

    def sync(self) -> None:
        """Puts all changes on the disk."""
        self.synced_bytes, self.pending_changes = self.content(keep_all), []


def keep_all(sector_count: int) -> Sequence[bool]:
    """Every sector of a change reached the disk."""
    return [True] * sector_count


def keep_none(sector_count: int) -> Sequence[bool]:
    """No sector of a change reached the disk."""
    return [False] * sector_count


class Disk:
    """The files below a folder, as the system calls leave them."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.names: dict[str, File] = {}
        self.durable_names: dict[str, File] = {}
        self.pending_changes: list[Mapping[str, File | None]] = []
        self.open_files: dict[str, tuple[str, File]] = {}

    def apply_call(self, name: str, arguments: Sequence[str], result: str) -> bytes:
        """Applies a system call. Returns what it acknowledged, if it is the scenario's output."""
        if name == "write" and (written_bytes := literal_bytes(arguments[1])).startswith(ACKNOWLEDGED):
            return written_bytes.removeprefix(ACKNOWLEDGED)
        descriptor = arguments[0].partition("<")[0]
        paths = [self.argument_path(arguments, index) for index in range(len(arguments))]
        path, file = self.open_files.get(descriptor, ("", None))
        match name:
            case "openat" if paths[1].startswith(self.root):
                opened_path = paths[1]
                if opened_path not in self.names and opened_path != self.root and "O_CREAT" in arguments[2]:
                    self.change_names({opened_path: File()})
                self.open_files[result.partition("<")[0]] = (opened_path, self.names.get(opened_path, File()))
                if "O_TRUNC" in arguments[2]:
                    self.names[opened_path].pending_changes.append(Change())
            case "close":
                self.open_files.pop(descriptor, None)
            case "pwrite64" if file:
                file.pending_changes.append(Change(int(arguments[3]), literal_bytes(arguments[1])))
            case "ftruncate" if file:
                file.pending_changes.append(Change(int(arguments[1])))
            case "fsync" | "fdatasync" if file:
                file.sync()
                self.sync_names(path)
            case "mkdir" if paths[0].startswith(self.root):
                self.change_names({paths[0]: File()})
            case "link" | "linkat" if old_paths := [each for each in paths if each in self.names]:
                self.change_names({[each for each in paths if each.startswith(self.root)][1]: self.names[old_paths[0]]})
            case "rename" if paths[0] in self.names:
                self.change_names({paths[1]: self.names[paths[0]], paths[0]: None})
            case "unlink" | "unlinkat" | "rmdir":
                self.change_names({each: None for each in paths if each in self.names})
        return b""

    @staticmethod
    def argument_path(arguments: Sequence[str], index: int) -> str:
        """The path in an argument. A relative path starts at the folder in the argument before it."""
        if '"' not in arguments[index]:
            return ""
        name = os.fsdecode(literal_bytes(arguments[index]))
        folder = re.search(r"<(.*)>", arguments[index - 1]) if index else None
        return name if name.startswith("/") or not folder else f"{os.fsdecode(literal_bytes(folder[1]))}/{name}"

    def change_names(self, change: Mapping[str, File | None]) -> None:
        """Adds names, or removes them (None)."""
        self.pending_changes.append(change)
        self.names = names_after(self.names, change)

    def sync_names(self, folder: str) -> None:
        """Puts the changed names of a folder on the disk."""
        pending_names = []
        for change in self.pending_changes:
            if any(path.rpartition("/")[0] == folder for path in change):
                self.durable_names = names_after(self.durable_names, change)
            else:
                pending_names.append(change)
        self.pending_changes = pending_names

    def files_after_cut(self, choose_sectors: SectorChoice) -> dict[str, bytes]:
        """The files that a power cut leaves, by path relative to the folder."""
        names = self.durable_names
        for change in self.pending_changes:
            if choose_sectors(1)[0]:
                names = names_after(names, change)
        folders = {path for path, file in names.items() if not file.synced_bytes and not file.pending_changes}
        return {
            path.removeprefix(f"{self.root}/"): file.content(choose_sectors)
            for path, file in names.items()
            if path not in folders
            and all(folder in names for folder in folders_above(path, self.root))
            and not path.endswith("-shm")
        }


def folders_above(path: str, root: str) -> Iterator[str]:
    """The folders above a path, up to a root."""
    while (path := path.rpartition("/")[0]) != root:
        yield path


def names_after(names: Mapping[str, File], change: Mapping[str, File | None]) -> dict[str, File]:
    """The names after a change."""
    return {path: file for path, file in {**names, **change}.items() if file}


def literal_bytes(literal: str) -> bytes:
    """The bytes of an argument in which every byte is written as `\\x2f`."""
    return bytes.fromhex(literal.strip('"').replace("\\x", ""))


CALL_PATTERN = re.compile(r"(\w+)\((.*)\) += (\d+.*)")


def read_calls(log_file: Path, root: str) -> Iterator[tuple[str, Sequence[str], str]]:
    """The calls in strace's log that succeeded, and that concern a folder or print an acknowledgement."""
    started_calls = dict[str, str]()
    markers = tuple("".join(f"\\x{byte:02x}" for byte in prefix) for prefix in (root.encode(), ACKNOWLEDGED))
    for line in log_file.read_text("ascii").splitlines():
        process, _, call = line.partition(" ")
        if call.endswith("<unfinished ...>"):
            started_calls[process] = call.removesuffix("<unfinished ...>")
            continue
        if "resumed>" in call:
            call = started_calls.pop(process) + call.partition("resumed>")[2]
        match_ = CALL_PATTERN.fullmatch(call.strip())
        if match_ and any(marker in call for marker in markers):
            yield match_[1], match_[2].split(", "), match_[3]


def record_calls(folder: Path) -> tuple[Path, Path]:
    """Runs the scenario under strace. Returns its folder and the log of its calls."""
    if not shutil.which("strace"):
        raise NotTried("there is no strace")
    root, log_file = folder / "powered", folder / "calls"
    root.mkdir()
    trace_command = ["strace", "-f", "-y", "-xx", "-s", "10000000", "-e", f"trace={TRACED_CALLS}", "-o", str(log_file)]
    process = subprocess.run(
        [*trace_command, sys.executable, __file__, f"sqlite:///{root}/games/games.db"], capture_output=True, check=False
    )
    if process.returncode:
        raise Breach(f"the scenario fails: {process.stderr.decode()}")
    return root, log_file


def cut_power(target: Target, tries: int, report: ReportOutcome) -> None:
    """Opens `tries` different disks, each of which must have all that was acknowledged."""
    root, log_file = record_calls(target.folder)
    recorded_calls = list(read_calls(log_file, str(root)))
    acknowledgements, disk = [repr([]).encode()], Disk(str(root))
    acknowledged_counts = list[int]()  # the number of acknowledgements before each call
    for name, arguments, result in recorded_calls:
        if acknowledgement := disk.apply_call(name, arguments, result):
            acknowledgements.append(acknowledgement.strip())
        acknowledged_counts.append(len(acknowledgements) - 1)
    if len(acknowledgements) <= len(SCENARIO):
        raise Breach(f"of {len(SCENARIO)} operations {len(acknowledgements) - 1} were seen to be acknowledged")
    real_files = {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}
    if disk.files_after_cut(keep_all) != {
        path: content for path, content in real_files.items() if not path.endswith("-shm")
    }:
        raise Breach("the disk that is simulated is not the real one")
    rng, disk_digests = Random(14), set[int]()
    while len(disk_digests) < tries:  # each round goes through all calls, and opens the disk at some of them
        digest_count = len(disk_digests)
        crash_indexes = set(rng.sample(range(len(recorded_calls)), min(len(recorded_calls), max(tries // 2, 1))))
        disk = Disk(str(root))
        for index, call in enumerate(recorded_calls):
            disk.apply_call(*call)
            if index not in crash_indexes or len(disk_digests) == tries:
                continue
            choice_name, choose_sectors = rng.choice(SECTOR_CHOICES)
            files = disk.files_after_cut(choose_sectors(rng))
            disk_digest = hash((acknowledged_counts[index], *sorted(files.items())))
            if disk_digest not in disk_digests:
                disk_digests.add(disk_digest)
                check_disk(
                    target.folder / "cut",
                    files,
                    acknowledgements[acknowledged_counts[index] : acknowledged_counts[index] + 2],
                    acknowledged_counts[index],
                    choice_name,
                )
                report(f"whole after {choice_name}")
        if len(disk_digests) == digest_count:
            break


SECTOR_CHOICES: Sequence[tuple[str, Callable[[Random], SectorChoice]]] = (
    ("all was written", lambda rng: keep_all),
    ("only what was synced was written", lambda rng: keep_none),
    ("some was written", lambda rng: lambda count: [rng.random() < 0.5] * count),
    ("some was torn", lambda rng: lambda count: [rng.random() < 0.5 for _ in range(count)]),
)


def check_disk(
    folder: Path, files: Mapping[str, bytes], allowed_states: Sequence[bytes], operation_count: int, choice_name: str
) -> None:
    """Checks that a disk has exactly the acknowledged operations, with or without the one in progress, and that the
    store plays on.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    case_text = f"after operation {operation_count}, {choice_name}"
    try:
        with (service := open_game(f"sqlite:///{folder}/games/games.db")).store:
            if (state := repr(read_games(service)).encode()) not in allowed_states:
                raise Breach(f"{case_text}: there is {state!r}, not one of {allowed_states!r}")
            if operation_count < len(SCENARIO) and isinstance(operation := SCENARIO[operation_count], Request):
                do_operation(service, operation_count, operation)
            position = service.new("nim", {"seed": "7"}, by="ann")
            service.play(position.match, "take 1", by="ann")
            check_store(service)
    except ERRORS as error:
        raise Breach(f"{case_text}: {error}") from error


if __name__ == "__main__":
    play_scenario(sys.argv[1])
