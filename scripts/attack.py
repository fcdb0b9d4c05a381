"""Attacks a store and its files, and says of each attack how often it was tried and what came of it.

What is done to a file is done to a fresh copy of a store of three short games. An attack is held off if whoever reads
is given the true answer or an error, if what is refused leaves the file as it was, and if what was taken back is named.
Those on writers and on what is hidden are in the modules beside this one. Anything else is a breach: it is printed, and
the exit code is 1.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
from attack_restarts import restarts
from attack_secrets import secrecy
from attack_service import service
from attack_target import ERRORS, Breach, Target, Told
from attack_writers import kills, kills_postgresql, sessions

from tests.service.forging import forged
from zimcore.game import Event
from zimcore.games import africana
from zimcore.games.zimbabwe.events import CattlePaid
from zimcore.service import GameService, Position, certificates, open_service
from zimcore.service.certificates import Certificate

NAMES = ("g0", "g1", "g2")
PAGE = 4096
TRUE, ERROR, REFUSED, NAMED = "true answer", "error", "refused, file as it was", "named"


def begin(folder: Path) -> Target:
    """A store of three games, each with a fork and a move that was undone."""
    path = folder / "whole.db"
    service = open_service(f"sqlite:///{path}")
    with service.store:
        for name in NAMES:
            service.new("zimbabwe", {"players": "3", "seed": "7"}, name=name, by="ann")
            for text in ("start g7", "start j7", "start l9", "bid 2", "pass", "pass"):
                service.play(name, text, by="ann")
            service.undo(name, by="ann")
            service.fork(f"{name}@3", "what-if", by="ann")
    return Target(folder, path, {key: answer for key, answer in read(path).items() if isinstance(answer, list)})


def read(path: Path) -> dict[str, list[str] | str]:
    """What a reader is told: of each line its moves with their digests, and where it stands; or an error."""
    found: dict[str, list[str] | str] = {}
    service = open_service(f"sqlite:///{path}?mode=ro")
    with service.store:
        ways: dict[str, Callable[[], list[str]]] = {}
        for place in (f"{name}/{line}" for name in NAMES for line in ("main", "what-if")):
            ways[place] = partial(moves, service, place)
            ways[f"{place} status"] = partial(status, service, place)
        for key, way in ways.items():
            try:
                found[key] = way()
            except ERRORS as error:
                found[key] = str(error)
        with suppress(*ERRORS):
            for info in service.games():
                if info.seats:  # else the status is the error
                    found[f"listed {info.name}"] = [info.line, str(info.head), info.status]
    return found


def moves(service: GameService, place: str) -> list[str]:
    """The moves of a line."""
    return [f"{each.digest} {each.text}" for each in service.log(place)]


def status(service: GameService, place: str) -> list[str]:
    """Where a line stands."""
    return [service.position(place).status]


def check_read(target: Target, path: Path, told: Told) -> None:
    """Every answer is the true one, or an error."""
    for key, answer in read(path).items():
        if isinstance(answer, list) and answer != target.truth[key]:
            raise Breach(f"{key}: {answer} is not {target.truth[key]}")
        told(ERROR if isinstance(answer, str) else TRUE)


def flips(target: Target, tries: int, told: Told) -> None:
    """One bit of the file, anywhere."""
    chance = random.Random(1)
    for _ in range(tries):
        path = target.copy()
        data = bytearray(path.read_bytes())
        bit = chance.randrange(8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        check_read(target, path, told)


def truncations(target: Target, tries: int, told: Told) -> None:
    """The file ends anywhere."""
    chance = random.Random(2)
    for _ in range(tries):
        path = target.copy()
        path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])
        check_read(target, path, told)


def swapped_pages(target: Target, tries: int, told: Told) -> None:
    """Two pages of the file in each other's place."""
    chance = random.Random(3)
    for _ in range(tries):
        path = target.copy()
        data = bytearray(path.read_bytes())
        one, other = (PAGE * each for each in chance.sample(range(1, len(data) // PAGE), 2))
        data[one : one + PAGE], data[other : other + PAGE] = data[other : other + PAGE], data[one : one + PAGE]
        path.write_bytes(data)
        check_read(target, path, told)


def tampering(target: Target, tries: int, told: Told) -> None:
    """One field of one row by SQL: read as above, and `db check` has to find it."""
    chance = random.Random(4)
    changes = (
        "state = x'c1'",
        "state = (SELECT state FROM stored_events ORDER BY random() LIMIT 1)",
        "topic = 'zimbabwe.cattle_paid.1'",
        "originator_version = originator_version + 100",
        "originator_id = 'elsewhere'",
    )
    for number in range(tries):
        path = target.copy()
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            before = file.execute("SELECT * FROM stored_events").fetchall()
            row = chance.randint(1, len(before))
            file.execute(f"UPDATE stored_events SET {changes[number % len(changes)]} WHERE rowid = ?", (row,))
            same = file.execute("SELECT * FROM stored_events").fetchall() == before
        check_read(target, path, told)
        with (service := open_service(f"sqlite:///{path}?mode=ro")).store:
            if not same and not service.check():
                raise Breach(f"row {row}: db check finds nothing")
        told(NAMED)


def taken_back(target: Target, tries: int, told: Told) -> None:
    """The end of a stream cut off, or a whole stream: it verifies, and a witness names it."""
    chance = random.Random(5)
    with (service := target.service()).store:
        seen = service.witness()
        ends = {stream: [entry.revision for entry in service.store.read(stream)] for stream in service.store.streams()}
    for _ in range(tries):
        path = target.copy()
        stream = chance.choice(sorted(ends))
        keep = chance.choice([-1, *ends[stream][:-1]])
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            where = "WHERE originator_id = ? AND originator_version > ?"
            file.execute(f"DELETE FROM stored_events {where}", (stream, keep))
            file.execute("DELETE FROM projections")
        with (service := open_service(f"sqlite:///{path}?mode=ro")).store:
            if [loss.stream for loss in service.losses(seen)] != [stream]:
                raise Breach(f"{stream} after {keep} is not missed")
        told(NAMED)


def hostile_certificates(target: Target, tries: int, told: Told) -> None:
    """Forged payments, bits flipped, commits of another history, deep and huge files."""
    chance = random.Random(6)
    with (service := target.service()).store:
        genuine = service.certificate("g0/main")
        other = service.certificate("g1/main")
        forgeries = [forged(service, genuine, more_paid(number)) for number in range(1, len(genuine.links))]
    data = certificates.write(genuine)
    for number in range(tries):
        match number % 4:
            case 0:
                hostile = certificates.write(forgeries[number // 4 % len(forgeries)])
            case 1:
                flipped, bit = bytearray(data), chance.randrange(data.index(b"\n") * 8, 8 * len(data))
                flipped[bit // 8] ^= 1 << bit % 8
                hostile = bytes(flipped)
            case 2:
                at = chance.randrange(1, len(genuine.links))
                links = (*genuine.links[:at], other.links[at], *genuine.links[at + 1 :])
                hostile = certificates.write(Certificate(genuine.head, links))
            case _:
                hostile = b'{"zim":' + (b"[" if number % 8 == 3 else b'{"a":') * 100_000
        import_refused(target, told, partial(bring_certificate, hostile), data)


def more_paid(number: int) -> Callable[[int, Sequence[Event]], Sequence[msgspec.Struct]]:
    """At one of its commits the stock pays 1000 cattle more."""
    return lambda n, events: [*events, CattlePaid("stock", "zulu", 1000, "gift")] if n == number else events


def hostile_exports(target: Target, tries: int, told: Told) -> None:
    """A line left out, doubled, swapped with another, or with a bit flipped."""
    chance = random.Random(7)
    with (service := target.service()).store:
        lines = list(service.export())
    for number in range(tries):
        hostile, at = list(lines), chance.randrange(len(lines))
        match number % 4:
            case 0:
                del hostile[at]
            case 1:
                hostile.insert(at, hostile[at])
            case 2:
                other = chance.randrange(len(lines) - 1)
                other += other >= at
                hostile[at], hostile[other] = hostile[other], hostile[at]
            case _:
                flipped, bit = bytearray(hostile[at]), chance.randrange(8 * len(hostile[at]) - 8)
                flipped[bit // 8] ^= 1 << bit % 8
                hostile[at] = bytes(flipped)
        import_refused(target, told, partial(bring_export, hostile), b"", empty=True)


def bring_export(lines: list[bytes], service: GameService) -> Position | None:
    """Imports the lines of an export."""
    service.import_(lines, by="eve")
    return None


def bring_certificate(data: bytes, service: GameService) -> Position:
    """Imports a certificate."""
    return service.adopt(certificates.read(data), by="eve")


def import_refused(
    target: Target, told: Told, bring: Callable[[GameService], Position | None], genuine: bytes, *, empty: bool = False
) -> None:
    """What is brought is refused, and the file is what it was."""
    path = target.copy()
    if empty:
        path.unlink()
    before = path.read_bytes() if path.exists() else b""
    with (service := open_service(f"sqlite:///{path}")).store:
        try:
            position = bring(service)
        except ERRORS:
            position = None
        else:
            # A flip in the name of a game is in no part that is proven: then it is the genuine line.
            there = certificates.write(service.certificate(position.place)) if position else b""
            if not there or there.split(b"\n")[1:] != genuine.split(b"\n")[1:]:
                raise Breach("it was imported")
    if position is None and before != (path.read_bytes() if path.exists() else b""):
        raise Breach("it was refused, and the file is another")
    told("the genuine line, under another name" if position else REFUSED)


def hostile_components(target: Target, tries: int, told: Told) -> None:
    """A box of one's own with a figure that the rulebook does not have, in a command of somebody else's."""
    del target
    chance = random.Random(8)
    toml = Path(africana.__file__).with_name("components.toml")
    set_up = africana.GAME.rules.set_up({"components": str(toml)}, 1)
    box = set_up.components  # type: ignore[attr-defined]
    begin_ = africana.GAME.evolution.initial()
    for _ in range(tries):
        wrong = chance.choice([-1, -(2**40), 10**6, 2**63])
        changed = chance.choice(
            [
                {"limits": msgspec.structs.replace(box.limits, hand=wrong)},
                {"costs": msgspec.structs.replace(box.costs, adventure=wrong)},
                {"companies": (msgspec.structs.replace(box.companies[0], silver=wrong), *box.companies[1:])},
                {"expeditions": (msgspec.structs.replace(box.expeditions[0], vp=wrong), *box.expeditions[1:])},
                {"jokers": wrong},
                {"bonuses": (msgspec.structs.replace(box.bonuses[0], silver=wrong), *box.bonuses[1:])},
            ]
        )
        command = msgspec.structs.replace(set_up, components=msgspec.structs.replace(box, **changed))
        if not hasattr(africana.GAME.rules.decide(begin_, "", command), "refusals"):
            raise Breach(f"{changed} is accepted")
        told("refused")


def namers(target: Target, tries: int, told: Told) -> None:
    """Eight who give names at the same time: games, forks, and what is renamed. None is lost, none is doubled."""
    path = target.copy()

    def name(worker: int) -> list[str]:
        given = []
        with (service := open_service(f"sqlite:///{path}")).store:
            for number in range(tries // 8):
                given.append(service.new("zimbabwe", {"seed": "7"}, by="w").match)
                with suppress(*ERRORS):
                    service.fork("g0/main@2", f"fork-{number}", by=f"w{worker}")
                    service.rename(f"g0/fork-{number}", f"fork-{number}-{worker}", by=f"w{worker}")
        return given

    with ThreadPoolExecutor(8) as pool:
        given = [each for names in pool.map(name, range(8)) for each in names]
    with (service := open_service(f"sqlite:///{path}")).store:
        if sorted(given) != sorted(set(service.game_names()) - set(NAMES)) or service.check():
            raise Breach("a name is lost, or given twice")
    for _ in given:
        told("each has its own name")


class Attack(NamedTuple):
    """What is tried, how often, and how often in the short form."""

    do: Callable[[Target, int, Told], None]
    tries: int
    short: int


ATTACKS = (
    Attack(flips, 300, 12),
    Attack(truncations, 60, 4),
    Attack(swapped_pages, 60, 4),
    Attack(tampering, 60, 5),
    Attack(taken_back, 60, 6),
    Attack(hostile_certificates, 80, 8),
    Attack(hostile_exports, 40, 8),
    Attack(hostile_components, 200, 12),
    Attack(namers, 64, 16),
    Attack(kills, 144, 9),
    Attack(kills_postgresql, 72, 4),
    Attack(sessions, 300, 10),
    Attack(restarts, 10, 2),
    Attack(service, 100, 3),
    Attack(secrecy, 114, 8),
)


def run(*, short: bool) -> Iterator[tuple[str, int, str, bool]]:
    """Each attack: its name, the tries, what came of them, and whether all were held off."""
    with tempfile.TemporaryDirectory(prefix="zim-attack-") as folder:
        target = begin(Path(folder))
        for attack in ATTACKS:
            tries, results, held = attack.short if short else attack.tries, list[str](), True
            try:
                attack.do(target, tries, results.append)
                said = ", ".join(f"{count:,} {what}" for what, count in Counter(results).most_common())
            except Breach as breach:
                said, held = f"BREACH: {breach}", False
            yield attack.do.__name__.replace("_", " "), tries, said, held


def main() -> int:
    """Prints the table."""
    parser = ArgumentParser("attack", description="Attacks a store in every way there is a defence for.")
    parser.add_argument("--short", action="store_true", help="a few tries of each")
    short, every = parser.parse_args().short, True
    print(f"{'attack':22} {'tries':>5}  result")
    for name, tries, said, held in run(short=short):
        print(f"{name:22} {tries:>5}  {said}", flush=True)
        every = every and held
    return 0 if every else 1


if __name__ == "__main__":
    sys.exit(main())
