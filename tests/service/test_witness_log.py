"""A witness log: each state must be a prefix of the next and of the store; otherwise the loss is reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from event_store import EventStore
from tests.cli.conftest import Zim, runs
from tests.service.table import BEGIN, play, service_on
from tests.service.test_witness import Rows, replace_rows, rows, store_url, two_matches
from zimcore.service import DamagedError, GameService, ed25519, signatures, witness_log
from zimcore.service.witness_log import Record

__all__ = ["store_url", "two_matches"]


def log_again(service: GameService, records: list[Record]) -> list[Record]:
    """The records, with what is seen now, as they are read from their file."""
    fresh = witness_log.next_record(records, service.witness())
    every = [*records, *([fresh] if fresh else [])]
    return witness_log.read_records(map(witness_log.line_of, every))


def log_of_four(service: GameService) -> list[Record]:
    """A log of four states, between which was played, talked and forked."""
    records = log_again(service, [])
    play(service, "take 1", place="nim/main")
    records = log_again(service, records)
    play(service, "take 1", place="other")
    service.say("other", "well", by="ann")
    records = log_again(service, records)
    service.fork("nim@1", "more", by="ann")
    service.undo("nim/main", by="ann")
    return log_again(service, records)


def test_each_state_is_a_prefix_of_the_next(two_matches: GameService) -> None:
    records = log_of_four(two_matches)
    assert [record.number for record in records] == [0, 1, 2, 3]
    assert [len(record.heads) for record in records] == [6, 1, 2, 3], "only what has moved is told again"
    assert two_matches.log_losses(records) == []
    assert log_again(two_matches, records) == records, "where nothing has moved nothing is added"
    play(two_matches, "take 2", place="other")
    assert two_matches.log_losses(records) == []


def test_what_was_undone_between_two_witnesses_is_reported(two_matches: GameService, store_url: str) -> None:
    """The ends are the same, but an earlier move of a head differs."""
    records = log_of_four(two_matches)
    stream = two_matches._lines.line("nim", "main").line.stream
    first = next(head for head in records[0].heads if head.stream == stream)
    lied = msgspec.structs.replace(first, digest="00" * 16)
    heads = tuple(lied if head == first else head for head in records[0].heads)
    first_records = witness_log.read_records(
        [witness_log.line_of(with_digest(msgspec.structs.replace(records[0], heads=heads)))]
    )
    again = list(first_records)
    for record in records[1:]:
        again.append(with_digest(msgspec.structs.replace(record, before=again[-1].digest)))
    (loss,) = two_matches.log_losses(again)
    assert (loss.kind, loss.name) == ("rewritten", "nim/main")
    rows_kept = [row for row in rows(store_url) if row[0] != stream or row[1] <= first.revision]
    replace_rows(store_url, rows_kept)
    later = service_on(store_url, who="later")
    with later.store:
        assert ("cut off", "nim/main") in [(each.kind, each.name) for each in later.log_losses(records)]


def with_digest(record: Record) -> Record:
    """A record with a valid digest, as the owner of the file can make it."""
    return msgspec.structs.replace(record, digest=witness_log._digest(record))


Change = Callable[[list[Record]], list[Record]]
CHANGES: dict[str, Change] = {
    "altered": lambda each: [*each[:2], msgspec.structs.replace(each[2], at=BEGIN), *each[3:]],
    "taken out": lambda each: [*each[:1], *each[2:]],
    "swapped": lambda each: [each[1], each[0], *each[2:]],
    "said twice": lambda each: [*each[:2], each[1], *each[2:]],
    "older": lambda each: [*each[:3], with_digest(msgspec.structs.replace(each[3], at=BEGIN))],
    "taken back": lambda each: [*each, with_digest(msgspec.structs.replace(each[1], number=4, before=each[3].digest))],
    "without a zone": lambda each: [with_digest(msgspec.structs.replace(each[0], at=BEGIN.replace(tzinfo=None)))],
    "of another form": lambda each: [with_digest(msgspec.structs.replace(each[0], zim="witness-log.9"))],
    "empty": lambda each: [],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_log_that_is_not_what_was_written(service: GameService, change: Change) -> None:
    service.new("nim", {"seed": "7"}, name="other", by="ann")
    play(service, "take 1")
    service.fork("nim@0", "what-if", by="ann")
    records = log_of_four(service)
    with pytest.raises(DamagedError):
        witness_log.read_records(map(witness_log.line_of, change(records)))


def test_who_signs_a_record_vouches_for_all_before_it(service: GameService) -> None:
    record = signatures.sign_record(log_again(service, [])[0], ed25519.new_key(), "ann")
    assert record.signed
    assert signatures.is_valid_record_signature(record, record.signed)
    assert not signatures.is_valid_record_signature(record, msgspec.structs.replace(record.signed, by="eve"))
    other = msgspec.structs.replace(record, digest="00" * 16)
    assert not signatures.is_valid_record_signature(other, record.signed)


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store_url: str) -> Zim:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    run = runs(GameService(EventStore.open(store_url)))
    assert run("new", "k", "seed=7").exit_code == 0
    return run


def test_a_line_is_added_for_each_state(zim: Zim, store_url: str, tmp_path: Path) -> None:
    file = tmp_path / "games.witnesses"
    assert zim("key").exit_code == 0
    for text, lines in (("start g7", 1), ("", 1), ("start j7", 2)):
        assert not text or zim("do", "k", text).exit_code == 0
        result = zim("witness", "--append", str(file))
        assert (result.exit_code, len(file.read_bytes().splitlines())) == (0, lines), result.output
    assert "  signed by anna, key " in result.stdout
    full_result = zim("verify", "--all", "--since", str(file), "--signed-by", "anna")
    assert (full_result.exit_code, f"nothing is lost of what {file} has seen" in full_result.stdout) == (0, True), (
        full_result.output
    )
    before: Rows = rows(store_url)
    zim("do", "k", "start l9")
    assert zim("witness", "--append", str(file)).exit_code == 0
    replace_rows(store_url, before)
    older, data = runs(GameService(EventStore.open(store_url))), file.read_bytes()
    for words in (("verify", "--all", "--since", str(file)), ("witness", "--append", str(file))):
        lost = older(*words)
        assert (lost.exit_code, "cut off: k/main: it had " in lost.stderr) == (1, True), lost.output
    assert file.read_bytes() == data, "nothing was added"


def test_a_known_key_is_demanded(zim: Zim, tmp_path: Path) -> None:
    one, log = str(tmp_path / "one"), str(tmp_path / "log")
    files: tuple[tuple[str, ...], ...] = (("witness", one), ("witness", "--append", log))
    questions: list[tuple[str, ...]] = [("verify", "--all", "--since", file) for file in (one, log)]
    for words in files:
        assert zim(*words).exit_code == 0
    for words in questions:
        plain = zim(*words)
        assert (plain.exit_code, "is not signed: a person who can change the file" in plain.stderr) == (0, True)
        refusal = zim(*words, "--signed-by", "anna")
        assert (refusal.exit_code, "unsigned: " in refusal.stderr) == (1, True), refusal.output
    key = json.loads(zim("key", "--json").stdout)["key"]
    assert zim("do", "k", "start g7").exit_code == 0
    for words in files:
        assert zim(*words).exit_code == 0
    refusal = zim(*questions[1], "--signed-by", "anna")
    assert (refusal.exit_code, "1 of 2 lines are not" in refusal.stderr) == (1, True), refusal.output
    (tmp_path / "log").unlink()
    assert zim(*files[1]).exit_code == 0
    (tmp_path / "home" / "zim" / "known_keys").unlink(missing_ok=True)
    for words in questions:
        assert zim(*words, "--signed-by", "ben").exit_code == 1
    (tmp_path / "home" / "zim" / "known_keys").unlink(missing_ok=True)
    strange = zim(*questions[0], "--signed-by", "anna")
    assert (strange.exit_code, f"try: zim key trust anna {key}" in strange.stderr) == (1, True), strange.output
    assert zim("key", "trust", "anna", key).exit_code == 0
    for words in questions:
        assert zim(*words, "--signed-by", "anna").exit_code == 0


def test_a_signed_certificate_is_accepted(zim: Zim, tmp_path: Path) -> None:
    file, key = str(tmp_path / "k.cert"), json.loads(zim("key", "--json").stdout)["key"]
    assert zim("export", "k", "--certificate", file).exit_code == 0
    assert zim("verify", file, "--signed-by", "anna").exit_code == 1
    assert zim("sign", file).exit_code == 0
    assert zim("key", "trust", "anna", key).exit_code == 0
    assert zim("verify", file, "--signed-by", "anna").exit_code == 0
    assert zim("verify", file, "--signed-by", "ben").exit_code == 1
    assert zim("verify", "k", "--signed-by", "anna").exit_code == 2


def test_an_odd_witness_is_reported(zim: Zim, service: GameService, tmp_path: Path) -> None:
    later = msgspec.structs.replace(service.witness().header, at=BEGIN.replace(year=9999))
    from zimcore.service.witness import Witness, foot_of, lines_of

    file = tmp_path / "later"
    file.write_bytes(b"".join(lines_of(Witness(later, (), foot_of(later, ())))))
    result = zim("verify", "--all", "--since", str(file))
    assert (result.exit_code, "it claims to be written on 9999-05-01" in result.stderr) == (1, True), result.output
    local = msgspec.structs.replace(later, at=BEGIN.replace(tzinfo=None))
    file.write_bytes(b"".join(lines_of(Witness(local, (), foot_of(local, ())))))
    assert "its time is not in UTC" in zim("verify", "--all", "--since", str(file)).stderr
    now = msgspec.structs.replace(later, at=BEGIN)
    file.write_bytes(b"".join(lines_of(Witness(now, (), foot_of(now, ())))))
    assert "proves nothing" in zim("verify", "--all", "--since", str(file)).stderr
