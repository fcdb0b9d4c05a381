"""Attacks by clocks: they are far off, go back, or stand still.

Whatever was written must be read by every reader: verified, exported and imported, certified, witnessed, backed up.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

from event_store import EventStore
from event_store.backup import backup
from scripts.attacks.attack_target import ERRORS, Breach, ReportOutcome, Target, check_store
from tests.cli.conftest import make_zim
from tests.service.nim_service import NIM_ONLY
from zimcore.service import GameService
from zimcore.service.proofs import certificates, witness, witness_log
from zimcore.service.proofs.witness_log import Record

START = datetime(2026, 5, 1, 20, tzinfo=UTC)
ODD_TIMES = (
    START,
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
    datetime(2400, 2, 29, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
)


def write_with_odd_clocks(target: Target, tries: int, report: ReportOutcome) -> None:
    """Does everything with a game while the clock is odd, and reads it in every way."""
    rng = Random(17)
    for _ in range(tries):
        folder = target.new_folder("clocks")
        with (service := GameService(EventStore.open(f"sqlite:///{folder}/games.db"), games=NIM_ONLY)).store:
            records = list[Record]()
            for change in CHANGES:
                service.clock = partial(max, time := rng.choice(ODD_TIMES), time)
                try:
                    change(service)
                except ERRORS as error:
                    raise Breach(f"nothing can be written at {time}: {error}") from error
                records = append_to_log(service, records)
            for what, read in READERS.items():
                try:
                    read(service, folder)
                except ERRORS as error:
                    raise Breach(f"{what}: what was written with an odd clock is refused: {error}") from error
                report(f"{what}: read")


CHANGES: tuple[Callable[[GameService], object], ...] = (
    lambda service: service.new("nim", {"stones": "30", "seed": "7"}, name="g", by="ann"),
    lambda service: service.play("g/main", "take 1", by="ann", command_id="c1"),
    lambda service: service.play("g/main", "take 2", by="ben"),
    lambda service: service.say("g@1", "well", by="ben"),
    lambda service: service.undo("g/main", by="ann"),
    lambda service: service.fork("g@1", "idea", by="ann"),
    lambda service: service.play("g/idea", "take 3", by="ann"),
    lambda service: service.tag("g@1", "opening", by="ann"),
    lambda service: service.rename("g/idea", "plan", by="ann"),
    lambda service: service.archive("g", by="ann"),
    lambda service: service.restore("g", by="ann"),
)


def append_to_log(service: GameService, records: list[Record]) -> list[Record]:
    """A log of witnesses with one more line, as its reader gives it."""
    record = witness_log.next_record(records, service.witness())
    return witness_log.read_records(map(witness_log.encode_record, [*records, *([record] if record else [])]))


def verify_all(service: GameService, folder: Path) -> None:
    """Verifies and checks the store."""
    del folder
    check_store(service)
    if faults := [audit.fault for audit in service.verify_all() if audit.fault]:
        raise Breach(f"verify --all finds {faults}")


def import_export(service: GameService, folder: Path) -> None:
    """Imports an export into a new store, and exports it again."""
    lines = [*service.export()]
    with (new_service := other_service(f"sqlite:///{folder}/imported.db")).store:
        new_service.import_(lines, by="eve")
        check_store(new_service)
        if [*new_service.export()] != lines:
            raise Breach("what was exported and imported is exported otherwise")


def adopt_certificates(service: GameService, folder: Path) -> None:
    """Imports the certificate of each line."""
    del folder
    with (new_service := other_service("memory:")).store:
        for line in service.line_names("g"):
            certificate = service.certificate(f"g/{line}")
            new_service.adopt(certificates.read_certificate(certificates.to_bytes(certificate)), by="eve")


def read_witnesses(service: GameService, folder: Path) -> None:
    """Compares the store with its witness."""
    del folder
    if losses := service.losses(witness.read_witness(witness.lines_of(service.witness()))):
        raise Breach(f"a witness reports {losses} in a store that has lost nothing")


def open_backup(service: GameService, folder: Path) -> None:
    """Opens a backup."""
    backup(service.store, folder / "copy.db")
    with (copy_service := other_service(f"sqlite:///{folder}/copy.db")).store:
        check_store(copy_service)


def show_everything(service: GameService, folder: Path) -> None:
    """Shows the games, the moves and the operations, as text and as JSON."""
    del folder
    zim = make_zim(service)
    for line in (
        "games",
        "log g/main",
        "log g/main --ops",
        "lines g",
        "talk g",
        "show g/main",
        "tag g",
        "story g/main",
    ):
        for words in (line.split(), [*line.split(), "--json"]):
            if (result := zim(*words)).exit_code:
                raise Breach(f"zim {line} fails: {result.stderr}")


def other_service(url: str) -> GameService:
    """A service on another store, with a clock that is right."""
    return GameService(EventStore.open(url), lambda: START, games=NIM_ONLY)


READERS: dict[str, Callable[[GameService, Path], None]] = {
    "verify": verify_all,
    "export": import_export,
    "certificates": adopt_certificates,
    "witness": read_witnesses,
    "backup": open_backup,
    "show": show_everything,
}
