"""A witness log: each state must be a prefix of the next and of the store; otherwise the loss is reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from event_store import EventStore
from event_store.input_limits import InputLimits
from tests.cli.conftest import Zim, make_zim
from tests.service.nim_service import FIRST_TIME, NIM_ONLY, play, service_on
from tests.service.test_witness import StoredRows, replace_rows, store_url, stored_rows
from tests.service.test_witness import service as two_game_service
from zimcore.service import DamagedError, GameService
from zimcore.service.lines.visibility import EVERYTHING
from zimcore.service.proofs import certificates, signatures, witness_log
from zimcore.service.proofs import witness as witness_format
from zimcore.service.proofs.witness_log import Record
from zimcore.service.records import ed25519

__all__ = ["store_url", "two_game_service"]


def append_to_log(service: GameService, records: list[Record]) -> list[Record]:
    """The records and one of the present state, as they are read from their file."""
    new_record = witness_log.next_record(records, service.witness())
    all_records = [*records, *([new_record] if new_record else [])]
    return witness_log.read_records(map(witness_log.encode_record, all_records))


def log_of_four_states(service: GameService) -> list[Record]:
    """A log of four states, between which was played, talked and forked."""
    records = append_to_log(service, [])
    play(service, "take 1", place="nim/main")
    records = append_to_log(service, records)
    play(service, "take 1", place="other")
    service.say("other", "well", by="ann")
    records = append_to_log(service, records)
    service.fork("nim@1", "more", by="ann")
    service.undo("nim/main", by="ann")
    return append_to_log(service, records)


def test_each_state_is_a_prefix_of_the_next(two_game_service: GameService) -> None:
    records = log_of_four_states(two_game_service)
    assert [record.number for record in records] == [0, 1, 2, 3]
    assert [len(record.heads) for record in records] == [6, 1, 2, 3], "a record has only the heads that moved"
    assert two_game_service.log_losses(records) == []
    assert append_to_log(two_game_service, records) == records, "a state without a change adds no record"
    play(two_game_service, "take 2", place="other")
    assert two_game_service.log_losses(records) == []


def test_a_head_forged_between_two_witnesses_is_reported(two_game_service: GameService, store_url: str) -> None:
    """The ends are the same, but an earlier move of a head differs."""
    records = log_of_four_states(two_game_service)
    stream = two_game_service._repository.line("nim", "main").line.stream
    first_head = next(head for head in records[0].heads if head.stream == stream)
    forged_head = msgspec.structs.replace(first_head, digest="00" * 16)
    heads = tuple(forged_head if head == first_head else head for head in records[0].heads)
    first_records = witness_log.read_records(
        [witness_log.encode_record(seal_record(msgspec.structs.replace(records[0], heads=heads)))]
    )
    forged_records = list(first_records)
    for record in records[1:]:
        forged_records.append(seal_record(msgspec.structs.replace(record, digest_before=forged_records[-1].digest)))
    (loss,) = two_game_service.log_losses(forged_records)
    assert (loss.kind, loss.name) == ("rewritten", "nim/main")
    remaining_rows = [row for row in stored_rows(store_url) if row[0] != stream or row[1] <= first_head.revision]
    replace_rows(store_url, remaining_rows)
    later_service = service_on(store_url, id_prefix="later")
    with later_service.store:
        assert ("cut off", "nim/main") in [(each.kind, each.name) for each in later_service.log_losses(records)]


def seal_record(record: Record) -> Record:
    """A record with a valid digest, as the owner of the file can make it."""
    return msgspec.structs.replace(record, digest=witness_log._digest(record))


ChangeRecords = Callable[[list[Record]], list[Record]]
FORGERIES: dict[str, ChangeRecords] = {
    "altered": lambda records: [*records[:2], msgspec.structs.replace(records[2], at=FIRST_TIME), *records[3:]],
    "taken out": lambda records: [*records[:1], *records[2:]],
    "swapped": lambda records: [records[1], records[0], *records[2:]],
    "said twice": lambda records: [*records[:2], records[1], *records[2:]],
    "taken back": lambda records: [
        *records,
        seal_record(msgspec.structs.replace(records[1], number=4, digest_before=records[3].digest)),
    ],
    "without a zone": lambda records: [
        seal_record(msgspec.structs.replace(records[0], at=FIRST_TIME.replace(tzinfo=None)))
    ],
    "of another form": lambda records: [seal_record(msgspec.structs.replace(records[0], format="witness-log.0"))],
    "empty": lambda records: [],
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_log_is_reported(service: GameService, change: ChangeRecords) -> None:
    service.new("nim", {"seed": "7"}, name="other", by="ann")
    play(service, "take 1")
    service.fork("nim@0", "what-if", by="ann")
    records = log_of_four_states(service)
    with pytest.raises(DamagedError):
        witness_log.read_records(map(witness_log.encode_record, change(records)))


def test_a_record_that_takes_something_back_is_neither_read_nor_written(two_game_service: GameService) -> None:
    """Nothing but the position of a head shows it: the digests and the times of the log are right."""
    records, witness = log_of_four_states(two_game_service), two_game_service.witness()
    last_heads = {head.stream: head for record in records for head in record.heads}
    moved_head = next(head for head in records[-1].heads if head.stream in {each.stream for each in records[0].heads})
    earlier_head = next(head for head in records[0].heads if head.stream == moved_head.stream)
    other_head = msgspec.structs.replace(last_heads[moved_head.stream], digest="00" * 16)
    for head in (earlier_head, other_head):
        bad_record = msgspec.structs.replace(
            records[-1],
            number=4,
            digest_before=records[-1].digest,
            at=records[-1].at + timedelta(days=1),
            heads=(head,),
        )
        log = [*records, seal_record(bad_record)]
        with pytest.raises(DamagedError, match="line 5 of the log of witnesses takes something back"):
            witness_log.read_records(map(witness_log.encode_record, log))
        heads = tuple(head if each.stream == head.stream else each for each in witness.heads)
        with pytest.raises(DamagedError, match="takes something back"):
            witness_log.next_record(records, msgspec.structs.replace(witness, heads=heads))


ODD_CLOCKS: dict[str, Callable[[], datetime]] = {
    "east": lambda: FIRST_TIME.astimezone(timezone(timedelta(hours=5, minutes=45))),
    "west": lambda: FIRST_TIME.astimezone(timezone(timedelta(hours=-11, microseconds=1))),
    "of this machine": lambda: FIRST_TIME.astimezone().replace(tzinfo=None),
}


@pytest.mark.parametrize("clock", ODD_CLOCKS.values(), ids=ODD_CLOCKS)
def test_what_a_clock_outside_utc_has_written_is_read(clock: Callable[[], datetime]) -> None:
    with EventStore.open("memory:") as store, EventStore.open("memory:") as other_store:
        service = GameService(store, clock, games=NIM_ONLY)
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        play(service, "take 1")
        service.say("nim", "well", by="ann")
        records = append_to_log(service, [])
        witness = witness_format.read_witness(witness_format.lines_of(service.witness()))
        assert (records[0].at, witness.header.at) == (FIRST_TIME, FIRST_TIME)
        assert service.log_losses(records) == service.losses(witness) == []
        certificate = certificates.read_certificate(certificates.to_bytes(service.certificate("nim", EVERYTHING)))
        assert certificates.verify_certificate(certificate, NIM_ONLY).fault is None
        assert service.log("nim")[-1].at == FIRST_TIME
        other_service = GameService(other_store, clock, games=NIM_ONLY)
        assert other_service.import_(service.export(EVERYTHING), by="ann").games == 1


@given(st.lists(st.datetimes(timezones=st.just(UTC)), min_size=1, max_size=6))
@example([FIRST_TIME, FIRST_TIME.replace(year=1970), FIRST_TIME.replace(year=9999), FIRST_TIME])
def test_what_is_appended_by_any_clock_is_read(times: list[datetime]) -> None:
    """Machines with different clocks append in turn, or one whose clock is set."""
    clock = iter(times)
    writing_service = service_on("memory:")
    writing_service.new("nim", {"seed": "7"}, name="nim", by="ann")
    writing_service.clock = lambda: next(clock)
    records = list[Record]()
    for number in range(len(times)):
        records = append_to_log(writing_service, records)
        writing_service.say("nim", f"move {number}", by="ann")
    assert [record.at for record in records] == times
    assert writing_service.log_losses(records) == []


def test_a_signature_of_a_record_covers_its_digest(service: GameService) -> None:
    record = signatures.sign_record(append_to_log(service, [])[0], ed25519.new_key(), "ann")
    assert record.signature
    assert signatures.is_valid_record_signature(record, record.signature)
    assert not signatures.is_valid_record_signature(record, msgspec.structs.replace(record.signature, by="eve"))
    other_record = msgspec.structs.replace(record, digest="00" * 16)
    assert not signatures.is_valid_record_signature(other_record, record.signature)


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store_url: str) -> Zim:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    run_zim = make_zim(GameService(EventStore.open(store_url)))
    assert run_zim("new", "k", "seed=7").exit_code == 0
    return run_zim


def test_each_new_state_adds_a_line(zim: Zim, store_url: str, tmp_path: Path) -> None:
    log_file = tmp_path / "games.witnesses"
    assert zim("key").exit_code == 0
    for text, line_count in (("start g7", 1), ("", 1), ("start j7", 2)):
        assert not text or zim("do", "k", text).exit_code == 0
        result = zim("witness", "--append", str(log_file))
        assert (result.exit_code, len(log_file.read_bytes().splitlines())) == (0, line_count), result.output
    assert "  signed by anna, key " in result.stdout
    full_result = zim("verify", "--all", "--since", str(log_file), "--signed-by", "anna")
    assert (full_result.exit_code, f"nothing is lost that {log_file} recorded" in full_result.stdout) == (0, True), (
        full_result.output
    )
    rows_before: StoredRows = stored_rows(store_url)
    zim("do", "k", "start l9")
    assert zim("witness", "--append", str(log_file)).exit_code == 0
    replace_rows(store_url, rows_before)
    run_on_older_store, log_bytes = make_zim(GameService(EventStore.open(store_url))), log_file.read_bytes()
    for arguments in (("verify", "--all", "--since", str(log_file)), ("witness", "--append", str(log_file))):
        refusal = run_on_older_store(*arguments)
        assert (refusal.exit_code, "cut off: k/main: it had " in refusal.stderr) == (1, True), refusal.output
    assert log_file.read_bytes() == log_bytes, "nothing was added"


def test_machines_whose_clocks_differ_append_in_turn(store_url: str, tmp_path: Path) -> None:
    log_file, machines = str(tmp_path / "games.witnesses"), []
    for seconds in (20, 0, -9_000_000):
        service = GameService(EventStore.open(store_url))
        service.clock = lambda seconds=seconds: datetime.now(UTC) + timedelta(seconds=seconds)  # type: ignore[misc]
        machines.append(make_zim(service))
    assert machines[0]("new", "k", "seed=7").exit_code == 0
    for number, zim in enumerate([*machines, *machines]):
        assert zim("say", "k", f"{number}").exit_code == 0
        assert zim("witness", "--append", log_file).exit_code == 0
        for other_zim in machines:
            assert other_zim("verify", "--all", "--since", log_file).exit_code == 0


def test_a_log_that_has_grown_for_years_is_read(zim: Zim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits are for files from others."""
    monkeypatch.setattr("event_store.input_limits.FOREIGN_FILE", InputLimits(max_size=100, max_lines=1))
    log_file = str(tmp_path / "log")
    for number in range(3):
        assert zim("say", "k", f"{number}").exit_code == 0
        result = zim("witness", "--append", log_file)
        assert result.exit_code == 0, result.output
    assert zim("verify", "--all", "--since", log_file).exit_code == 0


def test_signed_by_demands_a_known_key(zim: Zim, tmp_path: Path) -> None:
    witness_file, log_file = str(tmp_path / "one"), str(tmp_path / "log")
    write_commands: tuple[tuple[str, ...], ...] = (("witness", witness_file), ("witness", "--append", log_file))
    verify_commands: list[tuple[str, ...]] = [("verify", "--all", "--since", file) for file in (witness_file, log_file)]
    for command in write_commands:
        assert zim(*command).exit_code == 0
    for command in verify_commands:
        plain_result = zim(*command)
        assert (plain_result.exit_code, "is not signed: a person who can change the file" in plain_result.stderr) == (
            0,
            True,
        )
        refusal = zim(*command, "--signed-by", "anna")
        assert (refusal.exit_code, "unsigned: " in refusal.stderr) == (1, True), refusal.output
    key = json.loads(zim("key", "--json").stdout)["key"]
    assert zim("do", "k", "start g7").exit_code == 0
    Path(witness_file).unlink()
    for command in write_commands:
        assert zim(*command).exit_code == 0
    refusal = zim(*verify_commands[1], "--signed-by", "anna")
    assert (refusal.exit_code, "1 of 2 lines are not" in refusal.stderr) == (1, True), refusal.output
    (tmp_path / "log").unlink()
    assert zim(*write_commands[1]).exit_code == 0
    (tmp_path / "home" / "zim" / "known_keys").unlink(missing_ok=True)
    for command in verify_commands:
        assert zim(*command, "--signed-by", "ben").exit_code == 1
    (tmp_path / "home" / "zim" / "known_keys").unlink(missing_ok=True)
    unknown_key_result = zim(*verify_commands[0], "--signed-by", "anna")
    assert (unknown_key_result.exit_code, f"try: zim key trust anna {key}" in unknown_key_result.stderr) == (1, True), (
        unknown_key_result.output
    )
    assert zim("key", "trust", "anna", key).exit_code == 0
    for command in verify_commands:
        assert zim(*command, "--signed-by", "anna").exit_code == 0


def test_a_signed_certificate_is_accepted(zim: Zim, tmp_path: Path) -> None:
    certificate_file, key = str(tmp_path / "k.cert"), json.loads(zim("key", "--json").stdout)["key"]
    assert zim("export", "k", "--certificate", certificate_file).exit_code == 0
    assert zim("verify", certificate_file, "--signed-by", "anna").exit_code == 1
    assert zim("sign", certificate_file).exit_code == 0
    assert zim("key", "trust", "anna", key).exit_code == 0
    assert zim("verify", certificate_file, "--signed-by", "anna").exit_code == 0
    assert zim("verify", certificate_file, "--signed-by", "ben").exit_code == 1
    assert zim("verify", "k", "--signed-by", "anna").exit_code == 2


def test_a_witness_with_an_invalid_time_is_reported(zim: Zim, service: GameService, tmp_path: Path) -> None:
    late_header = msgspec.structs.replace(service.witness().header, at=FIRST_TIME.replace(year=9999))
    from zimcore.service.proofs.witness import Witness, foot_of, lines_of

    witness_file = tmp_path / "later"
    witness_file.write_bytes(b"".join(lines_of(Witness(late_header, (), foot_of(late_header, ())))))
    result = zim("verify", "--all", "--since", str(witness_file))
    assert (result.exit_code, "a clock was wrong: " in result.stderr) == (0, True), result.output
    assert "says that it was written on 9999-05-01" in result.stderr
    local_header = msgspec.structs.replace(late_header, at=FIRST_TIME.replace(tzinfo=None))
    witness_file.write_bytes(b"".join(lines_of(Witness(local_header, (), foot_of(local_header, ())))))
    assert "its time is not in UTC" in zim("verify", "--all", "--since", str(witness_file)).stderr
    valid_header = msgspec.structs.replace(late_header, at=FIRST_TIME)
    witness_file.write_bytes(b"".join(lines_of(Witness(valid_header, (), foot_of(valid_header, ())))))
    assert "proves nothing" in zim("verify", "--all", "--since", str(witness_file)).stderr
