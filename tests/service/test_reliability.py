"""Killed writers, many writers, full disks and damaged files lose no acknowledged move and leave none half stored."""

from __future__ import annotations

import random
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from subprocess import PIPE
from time import sleep

import pytest

from event_store import EventStore
from tests.service.forged_files import flip_bit
from tests.service.nim_service import NIM_ONLY, log_texts, service_on
from zimcore.service import ConflictError, GameService, StoreError
from zimcore.service.care import maintenance

ROOT = Path(__file__).parents[2]
GAME_SCRIPT = ROOT / "tests" / "games" / "bot-2p-015.zim"
PROGRAM_START = """
import sys
from event_store import ConflictError, EventStore
from tests.service.nim_service import NIM_ONLY
from zimcore.service import GameService

service = GameService(EventStore.open(sys.argv[1]), games=NIM_ONLY)
"""
PLAY_FOREVER = """
while True:
    try:
        print(service.play("nim", "take 1", by="ann").commit.number, flush=True)
    except ConflictError:  # the server was still storing the last command of the killed writer
        pass
"""
PLAY_RACE = """
place, moves_left = sys.argv[2], int(sys.argv[3])
while moves_left:
    seen_digest = service.position(place).commit.digest
    try:
        print(service.play(place, "take 1", by=sys.argv[4], expected=seen_digest).commit.number, flush=True)
        moves_left -= 1
    except ConflictError:
        print("conflict", flush=True)
"""


def open_service(url: str) -> GameService:
    return GameService(EventStore.open(url), games=NIM_ONLY)


def start_program(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM_START + program, *arguments], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )


@pytest.fixture
def tmp_path(disk_path: Path) -> Path:
    """A folder on a disk, where a killed writer leaves what it wrote."""
    return disk_path


@pytest.fixture(params=["sqlite", "postgresql"])
def nim_store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store in which a long game of Nim has begun."""
    postgres_url: str = request.getfixturevalue("postgres_store") if request.param == "postgresql" else ""
    url = postgres_url or f"sqlite:///{tmp_path}/games.zim"
    service = open_service(url)
    with service.store:
        service.new("nim", {"stones": "99999", "seed": "7"}, name="nim", by="ann")
    return url


def kill_writer(url: str, rng: random.Random) -> int:
    """The last move that a writer acknowledged before it was killed."""
    writer = start_program(PLAY_FOREVER, url)
    assert writer.stdout
    printed_numbers = [writer.stdout.readline() for _ in range(rng.randint(200, 400))]
    sleep(rng.uniform(0, 0.004))
    writer.kill()
    printed_numbers += [line for line in writer.stdout if line.endswith("\n")]
    writer.wait()
    return int(printed_numbers[-1])


def test_acknowledged_moves_survive_ten_kills_of_the_writer(nim_store_url: str) -> None:
    rng, head_number = random.Random(7), 0
    for _ in range(10):
        acknowledged_number = kill_writer(nim_store_url, rng)
        service = open_service(nim_store_url)
        with service.store:
            assert acknowledged_number > head_number
            head_number = service.position("nim").commit.number
            assert acknowledged_number <= head_number <= acknowledged_number + 1
    assert head_number > 10 * 200
    service = open_service(nim_store_url)
    with service.store:
        audit = service.verify("nim")
        assert (audit.fault, audit.commits) == (None, service.position("nim").commit.number + 1)


def race_writers(url: str, places: list[str], moves_each: int) -> list[list[str]]:
    """Plays at all places at once, with a process for each; returns the words that each process printed."""
    processes = [
        start_program(PLAY_RACE, url, place, str(moves_each), f"p{process_number}")
        for process_number, place in enumerate(places)
    ]
    outputs = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(places)
    return outputs


def test_eight_processes_on_a_line_each_do_not_block_each_other(nim_store_url: str) -> None:
    names = [f"line-{process_number}" for process_number in range(8)]
    service = open_service(nim_store_url)
    with service.store:
        for name in names:
            service.fork("nim/main", name, by="ann")
        outputs = race_writers(nim_store_url, [f"nim/{name}" for name in names], 25)
        assert outputs == [[str(number) for number in range(1, 26)]] * 8, "no conflict, no gap"
        for name in names:
            assert len(log_texts(service, f"nim/{name}")) == 26
            assert service.verify(f"nim/{name}").fault is None


def test_eight_processes_on_one_line_overwrite_no_move(nim_store_url: str) -> None:
    outputs = race_writers(nim_store_url, ["nim"] * 8, 12)
    acknowledged_moves = [
        (int(number), f"p{process_number}")
        for process_number, words in enumerate(outputs)
        for number in words
        if number != "conflict"
    ]
    service = open_service(nim_store_url)
    with service.store:
        assert sorted(acknowledged_moves) == [(commit.number, commit.by) for commit in service.log("nim")[1:]]
        assert len(acknowledged_moves) == 8 * 12
        assert service.verify("nim").fault is None


def start_zim(url: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "zimcli", "--store", url, *arguments]
    return subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=ROOT, text=True)


def run_zim(url: str, *arguments: str) -> str:
    process = start_zim(url, *arguments)
    output = process.communicate()[0]
    assert process.returncode == 0
    return output


def test_one_of_eight_equal_commands_is_played_and_the_others_are_conflicts(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.zim"
    run_zim(url, "new", "kilwa-1", "players=2", "seed=7")
    move = run_zim(url, "legal", "kilwa-1").splitlines()[0]
    processes = [start_zim(url, "do", "kilwa-1", move) for _ in range(8)]
    errors_and_codes = [(process.communicate()[1], process.returncode) for process in processes]
    codes = sorted(code for _, code in errors_and_codes)
    assert codes[0] == 0
    assert set(codes[1:]) <= {1, 3}, errors_and_codes
    assert all(error.startswith("refused" if code == 1 else "conflict") for error, code in errors_and_codes if code)
    assert run_zim(url, "log", "kilwa-1").count(move) == 1


def test_a_full_disk_is_exit_code_4_and_keeps_acknowledged_moves(tmp_path: Path) -> None:
    """The log beside the database can't grow any more, in the middle of a game."""
    url = f"sqlite:///{tmp_path}/games.zim"
    new_command, *moves = [
        line for line in GAME_SCRIPT.read_text("utf-8").splitlines() if not line.startswith(("#", "expect"))
    ]
    run_zim(url, "new", "g", *new_command.split()[1:])
    process = subprocess.run(
        [sys.executable, "-m", "zimcli", "--store", url, "run", "-"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
        input="switch g/main\n" + "\n".join(moves),
        capture_output=True,
        cwd=ROOT,
        text=True,
    )
    assert process.returncode == 4
    assert process.stderr.startswith("store: can't write to the store")
    printed_moves = [line for line in process.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert 0 < len(printed_moves) < len(moves)
    assert run_zim(url, "verify", "g").startswith("✓ g/main")
    assert len(run_zim(url, "log", "g").splitlines()) == 1 + len(printed_moves)
    run_zim(url, "do", "g", moves[len(printed_moves)])


@pytest.fixture(scope="module")
def store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with three games, whose rows alternate."""
    path = tmp_path_factory.mktemp("store") / "games.zim"
    service = open_service(f"sqlite:///{path}")
    with service.store:
        for name in "abc":
            service.new("nim", {"stones": "999", "seed": "7"}, name=name, by="ann")
        for _ in range(40):
            for name in "abc":
                service.play(name, "take 1", by="ann")
    return path


def readable_logs(path: Path) -> dict[str, list[str] | str]:
    """The log of each game, or its error."""
    logs: dict[str, list[str] | str] = {}
    service = open_service(f"sqlite:///{path}")
    with service.store:
        for name in "abc":
            try:
                fault = service.verify(name).fault
                logs[name] = str(fault) if fault else log_texts(service, name)
            except StoreError as error:
                logs[name] = str(error)
    return logs


@pytest.mark.parametrize("number", range(60))
def test_a_bit_flipped_anywhere_in_the_file_is_reported_or_does_nothing(
    store_file: Path, tmp_path: Path, number: int
) -> None:
    true_logs, path = readable_logs(store_file), tmp_path / "games.zim"
    path.write_bytes(flip_bit(store_file.read_bytes(), random.Random(number)))
    for name, log in readable_logs(path).items():
        assert isinstance(log, str) or log == true_logs[name]


@pytest.mark.parametrize("number", range(20))
def test_a_file_that_was_cut_off_is_reported(store_file: Path, tmp_path: Path, number: int) -> None:
    true_logs, content = readable_logs(store_file), store_file.read_bytes()
    path = tmp_path / "games.zim"
    path.write_bytes(content[: random.Random(number).randrange(1, len(content))])
    logs = readable_logs(path)
    assert any(isinstance(log, str) for log in logs.values())
    for name, log in logs.items():
        assert isinstance(log, str) or log == true_logs[name]


def test_a_damaged_game_leaves_the_others_readable(store_file: Path, tmp_path: Path) -> None:
    true_logs, path = readable_logs(store_file), tmp_path / "games.zim"
    path.write_bytes(store_file.read_bytes())
    with sqlite3.connect(path) as connection:
        last_stream_query = (
            "SELECT originator_id FROM stored_events WHERE topic LIKE 'nim.%' ORDER BY rowid DESC LIMIT 1"
        )
        (stream,) = connection.execute(last_stream_query).fetchone()
        update_statement = "UPDATE stored_events SET state = x'c1' WHERE originator_id = ? AND originator_version = 9"
        connection.execute(update_statement, (stream,))
    connection.close()
    logs = readable_logs(path)
    assert [name for name in "abc" if logs[name] != true_logs[name]] == ["c"]
    assert "c/main" in logs["c"]


def test_a_chat_that_an_older_copy_lacks_is_an_error_and_no_endless_try(tmp_path: Path) -> None:
    """Another program puts older rows into the same file, in a transaction: nobody was faster, so that no try helps."""
    service = service_on(f"sqlite:///{tmp_path}/games.db")
    with service.store:
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        maintenance.backup(service.store, tmp_path / "older.db")
        service.say("nim", "well", by="ann")
        with (
            closing(sqlite3.connect(tmp_path / "older.db")) as older,
            closing(sqlite3.connect(tmp_path / "games.db")) as store,
        ):
            older.backup(store)
        with pytest.raises(ConflictError, match="no entry ends there"):
            service.say("nim", "oh", by="ann")
