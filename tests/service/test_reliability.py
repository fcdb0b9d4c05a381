"""Nothing acknowledged is lost, nothing is there by half: killed writers, many writers, full disks, damaged files."""

from __future__ import annotations

import random
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from time import sleep

import pytest

from event_store import EventStore
from tests.service.forging import flip_bit
from tests.service.table import NIM, texts
from zimcore.service import GameService, StoreError

ROOT = Path(__file__).parents[2]
GAME = ROOT / "tests" / "games" / "bot-2p-015.zim"
BEGIN = """
import sys
from event_store import ConflictError, EventStore
from tests.service.table import NIM
from zimcore.service import GameService

service = GameService(EventStore.open(sys.argv[1]), games=NIM)
"""
PLAY_ON = """
while True:
    try:
        print(service.play("nim", "take 1", by="ann").commit.number, flush=True)
    except ConflictError:  # the server was still at work on the last command of a writer who was killed
        pass
"""
RACE = """
place, wanted = sys.argv[2], int(sys.argv[3])
while wanted:
    seen = service.position(place).commit.digest
    try:
        print(service.play(place, "take 1", by=sys.argv[4], expected=seen).commit.number, flush=True)
        wanted -= 1
    except ConflictError:
        print("conflict", flush=True)
"""


def open_service(url: str) -> GameService:
    return GameService(EventStore.open(url), games=NIM)


def start(program: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + program, *words], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store in which a long game of Nim has begun."""
    store_url: str = request.getfixturevalue("postgres_store") if request.param == "postgresql" else ""
    url = store_url or f"sqlite:///{tmp_path}/games.zim"
    service = open_service(url)
    with service.store:
        service.new("nim", {"stones": "99999", "seed": "7"}, name="nim", by="ann")
    return url


def kill_writer(url: str, chance: random.Random) -> int:
    """The last move that a writer acknowledged before it was killed."""
    writer = start(PLAY_ON, url)
    assert writer.stdout
    numbers = [writer.stdout.readline() for _ in range(chance.randint(200, 400))]
    sleep(chance.uniform(0, 0.004))
    writer.kill()
    numbers += [line for line in writer.stdout if line.endswith("\n")]
    writer.wait()
    return int(numbers[-1])


def test_what_was_acknowledged_is_there_however_often_the_writer_is_killed(store: str) -> None:
    chance, head = random.Random(7), 0
    for _ in range(10):
        acknowledged = kill_writer(store, chance)
        service = open_service(store)
        with service.store:
            assert acknowledged > head
            head = service.position("nim").commit.number
            assert acknowledged <= head <= acknowledged + 1
    assert head > 10 * 200
    service = open_service(store)
    with service.store:
        audit = service.verify("nim")
        assert (audit.fault, audit.commits) == (None, service.position("nim").commit.number + 1)


def race_writers(store: str, places: list[str], wanted: int) -> list[list[str]]:
    """What each of several processes printed that played at these places at the same time."""
    processes = [start(RACE, store, place, str(wanted), f"p{n}") for n, place in enumerate(places)]
    printed = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(places)
    return printed


def test_eight_processes_on_a_line_each_do_not_block_each_other(store: str) -> None:
    names = [f"line-{n}" for n in range(8)]
    service = open_service(store)
    with service.store:
        for name in names:
            service.fork("nim/main", name, by="ann")
        printed = race_writers(store, [f"nim/{name}" for name in names], 25)
        assert printed == [[str(number) for number in range(1, 26)]] * 8, "no conflict, no gap"
        for name in names:
            assert len(texts(service, f"nim/{name}")) == 26
            assert service.verify(f"nim/{name}").fault is None


def test_of_eight_processes_on_one_line_none_overwrites_another(store: str) -> None:
    printed = race_writers(store, ["nim"] * 8, 12)
    acknowledged = [
        (int(number), f"p{n}") for n, words in enumerate(printed) for number in words if number != "conflict"
    ]
    service = open_service(store)
    with service.store:
        assert sorted(acknowledged) == [(commit.number, commit.by) for commit in service.log("nim")[1:]]
        assert len(acknowledged) == 8 * 12
        assert service.verify("nim").fault is None


def zim(url: str, *words: str) -> subprocess.Popen[str]:
    program = [sys.executable, "-m", "zimcli", "--store", url, *words]
    return subprocess.Popen(program, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=ROOT, text=True)


def answer(url: str, *words: str) -> str:
    process = zim(url, *words)
    printed = process.communicate()[0]
    assert process.returncode == 0
    return printed


def test_of_eight_who_type_the_same_one_plays_and_the_others_get_a_conflict(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.zim"
    answer(url, "new", "kilwa-1", "players=2", "seed=7")
    move = answer(url, "legal", "kilwa-1").splitlines()[0]
    typed = [zim(url, "do", "kilwa-1", move) for _ in range(8)]
    answers = [(process.communicate()[1], process.returncode) for process in typed]
    codes = sorted(code for _, code in answers)
    assert codes[0] == 0
    assert set(codes[1:]) <= {1, 3}, answers
    assert all(error.startswith("refused" if code == 1 else "conflict") for error, code in answers if code)
    assert answer(url, "log", "kilwa-1").count(move) == 1


def test_a_full_disk_is_exit_code_4_and_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    """The log beside the database can't grow any more, in the middle of a game."""
    url = f"sqlite:///{tmp_path}/games.zim"
    new, *moves = [line for line in GAME.read_text("utf-8").splitlines() if not line.startswith(("#", "expect"))]
    answer(url, "new", "g", *new.split()[1:])
    full = subprocess.run(
        [sys.executable, "-m", "zimcli", "--store", url, "run", "-"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
        input="switch g/main\n" + "\n".join(moves),
        capture_output=True,
        cwd=ROOT,
        text=True,
    )
    assert full.returncode == 4
    assert full.stderr.startswith("store: can't write to the store")
    acknowledged = [line for line in full.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert 0 < len(acknowledged) < len(moves)
    assert answer(url, "verify", "g").startswith("✓ g/main")
    assert len(answer(url, "log", "g").splitlines()) == 1 + len(acknowledged)
    answer(url, "do", "g", moves[len(acknowledged)])


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three games that lie among each other."""
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
    """By game: its log, or the error."""
    answers: dict[str, list[str] | str] = {}
    service = open_service(f"sqlite:///{path}")
    with service.store:
        for name in "abc":
            try:
                fault = service.verify(name).fault
                answers[name] = str(fault) if fault else texts(service, name)
            except StoreError as error:
                answers[name] = str(error)
    return answers


@pytest.mark.parametrize("number", range(60))
def test_a_bit_flipped_anywhere_in_the_file_is_reported_or_does_nothing(
    file: Path, tmp_path: Path, number: int
) -> None:
    whole, path = readable_logs(file), tmp_path / "games.zim"
    path.write_bytes(flip_bit(file.read_bytes(), random.Random(number)))
    for name, answer in readable_logs(path).items():
        assert isinstance(answer, str) or answer == whole[name]


@pytest.mark.parametrize("number", range(20))
def test_a_file_that_was_cut_off_is_reported(file: Path, tmp_path: Path, number: int) -> None:
    whole, content = readable_logs(file), file.read_bytes()
    path = tmp_path / "games.zim"
    path.write_bytes(content[: random.Random(number).randrange(1, len(content))])
    answers = readable_logs(path)
    assert any(isinstance(answer, str) for answer in answers.values())
    for name, answer in answers.items():
        assert isinstance(answer, str) or answer == whole[name]


def test_a_damaged_game_leaves_the_others_readable(file: Path, tmp_path: Path) -> None:
    whole, path = readable_logs(file), tmp_path / "games.zim"
    path.write_bytes(file.read_bytes())
    with sqlite3.connect(path) as connection:
        last = "SELECT originator_id FROM stored_events WHERE topic LIKE 'nim.%' ORDER BY rowid DESC LIMIT 1"
        (stream,) = connection.execute(last).fetchone()
        broken = "UPDATE stored_events SET state = x'c1' WHERE originator_id = ? AND originator_version = 9"
        connection.execute(broken, (stream,))
    connection.close()
    answers = readable_logs(path)
    assert [name for name in "abc" if answers[name] != whole[name]] == ["c"]
    assert "c/main" in answers["c"]
