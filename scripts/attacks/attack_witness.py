"""Attacks logs of witnesses: clocks that step, stores that are rolled back, and lines that take something back.

What `zim witness --append` writes, `zim verify --all --since` must accept, whatever the clocks were. A log that was
altered must be refused, and a store that lacks something must be reported, by both, without a change of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random

import msgspec

from event_store.backup import backup
from scripts.attacks.attack_target import Breach, ReportOutcome, Target, open_store_file, user_in
from tests.cli.conftest import make_zim
from tests.service.test_witness_log import FORGERIES, seal_record
from zimcli.shell.exit_codes import NOT_UNDERSTOOD, STORE_FAILURE
from zimcore.service import GameService
from zimcore.service.proofs import witness_log
from zimcore.service.proofs.witness_log import Record

START = datetime(2026, 5, 1, 20, tzinfo=UTC)
CLOCK_STEPS = tuple(
    timedelta(seconds=seconds) for seconds in (0, 0.000001, 20, -20, 3600, -3600, 86400 * 400, -86400 * 400)
)
CHANGES: Sequence[Callable[[GameService], object]] = (
    lambda service: service.play("g0/main", "bid 3", by="ann"),
    lambda service: service.say("g1", "hm", by="ben"),
    lambda service: service.undo("g0/main", by="ann"),
    lambda service: service.fork("g2@2", "idea", by="ann"),
    lambda service: service.play("g1/main", "pass", by="ann"),
)


def step_clocks_and_take_back(target: Target, tries: int, report: ReportOutcome) -> None:
    """Writes a log while a store grows and the clock steps; then alters the log, and rolls the store back."""
    rng = Random(16)
    for _ in range(tries):
        folder, store_file = target.new_folder("witness"), target.copy(target.older_file.read_bytes())
        log_file, states = folder / "games.witnesses", list[Path]()
        with user_in(folder), open_store_file(store_file, "") as service:
            for number, change in enumerate(CHANGES):
                change(service)
                service.clock = partial(datetime.__add__, START, rng.choice(CLOCK_STEPS))
                append_and_check(service, log_file)
                report("appended, and read")
                states.append(folder / f"{number}.db")
                backup(service.store, states[-1])
            refuse_altered_logs(service, log_file, rng, report)
        with user_in(folder):
            refuse_older_stores(states[:-1], log_file, report)


def append_and_check(service: GameService, log_file: Path) -> None:
    """Appends a line to the log, and checks the store by it. Raises `Breach` if either fails."""
    zim = make_zim(service)
    for words in (("witness", "--append", str(log_file)), ("verify", "--all", "--since", str(log_file))):
        if (result := zim(*words)).exit_code:
            raise Breach(f"zim {words[0]} fails in a store that has lost nothing: {result.stderr}")


def refuse_altered_logs(service: GameService, log_file: Path, rng: Random, report: ReportOutcome) -> None:
    """Alters the log in each way. Raises `Breach` if it is still read, even if then the store is blamed."""
    zim, genuine_bytes = make_zim(service), log_file.read_bytes()
    records = witness_log.read_records(genuine_bytes.splitlines(keepends=True))
    forged_logs = {name: forge(records) for name, forge in FORGERIES.items()}
    forged_logs["a head goes back"] = [*records, record_of_earlier_head(records, rng)]
    for name, forged_records in forged_logs.items():
        log_file.write_bytes(b"".join(map(witness_log.encode_record, forged_records)))
        refusal_code = STORE_FAILURE if forged_records else NOT_UNDERSTOOD  # an empty file is of no kind
        if zim("verify", "--all", "--since", str(log_file)).exit_code != refusal_code:
            raise Breach(f"a log of witnesses is read although it was altered: {name}")
        report("a forged log: refused")
    log_file.write_bytes(genuine_bytes)


def record_of_earlier_head(records: Sequence[Record], rng: Random) -> Record:
    """One more record with a valid digest, in which a stream is as short as it was before."""
    last_heads = {head.stream: head for record in records for head in record.heads}
    head = rng.choice([head for record in records for head in record.heads if head != last_heads[head.stream]])
    record = msgspec.structs.replace(
        records[-1], number=len(records), digest_before=records[-1].digest, heads=(head,), signature=None
    )
    return seal_record(record)


def refuse_older_stores(store_files: Sequence[Path], log_file: Path, report: ReportOutcome) -> None:
    """Compares older stores with the log. Raises `Breach` if that is accepted, or the log has changed."""
    genuine_bytes = log_file.read_bytes()
    for store_file in store_files:
        with open_store_file(store_file) as service:
            zim = make_zim(service)
            for words in (("verify", "--all", "--since", str(log_file)), ("witness", "--append", str(log_file))):
                if zim(*words).exit_code == 0:
                    raise Breach(f"zim {words[0]} accepts a store that was rolled back")
                if log_file.read_bytes() != genuine_bytes:
                    raise Breach(f"zim {words[0]} has changed the log although the store was rolled back")
        report("an older store: reported")
