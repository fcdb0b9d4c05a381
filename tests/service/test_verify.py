"""Verify distinguishes altered entries, damaged ones, and commands that today's rules decide differently."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from eventsourcing.persistence import StoredEvent
from msgspec.structs import replace

from tests import nim
from tests.nim import StonesTaken
from tests.service.nim_releases import RELEASE_1, RELEASE_2
from tests.service.nim_service import NIM_ONLY, play, service_on
from zimcore.service import Fault, GameService, UnknownError


@pytest.fixture
def forked_match(service: GameService) -> GameService:
    """Three moves on `main`, of which one is undone; a fork of move 1 with a move of its own."""
    play(service, "take 1", "take 3", "take 3")
    service.undo("nim", by="ann")
    service.fork("nim@1", "what-if", by="ann")
    play(service, "take 2")
    return service


def stored_rows(service: GameService) -> list[StoredEvent]:
    """All rows of the store, to be tampered with."""
    recorder: Any = service.store._backend.recorder
    rows: list[StoredEvent] = recorder._stored_events
    return rows


def alter_row(service: GameService, matches: Callable[[StoredEvent], bool], change: Callable[[bytes], bytes]) -> None:
    """Changes the bytes of the first matching row."""
    rows = stored_rows(service)
    index = next(index for index, row in enumerate(rows) if matches(row))
    row = rows[index]
    rows[index] = StoredEvent(row.originator_id, row.originator_version, row.topic, change(row.state))


def fault_of(service: GameService, place: str = "nim/main") -> Fault:
    fault = service.verify(place).fault
    assert fault
    return fault


def test_an_unaltered_line_has_no_fault(forked_match: GameService) -> None:
    audit = forked_match.verify("nim/main")
    assert (audit.game, audit.line, audit.commits, audit.events, audit.fault) == ("nim", "main", 4, 10, None)
    assert audit.digest == forked_match.position("nim/main").commit.digest


def test_a_fork_is_verified_with_its_past_up_to_the_fork(forked_match: GameService) -> None:
    audit = forked_match.verify("nim/what-if")
    assert (audit.line, audit.commits, audit.fault) == ("what-if", 3, None)


@pytest.mark.parametrize("fault", ["none", "altered", "altered later", "refused today", "refused later"])
def test_all_lines_together_are_verified_as_each_alone(
    forked_match: GameService, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Given forks of forks, undone moves in their past, and a fault before or after them."""
    service = forked_match
    service.fork("nim/main@3", "deep", by="ann")
    service.fork("nim/deep", "deeper", by="ann")
    play(service, "take 1", place="nim/deeper")
    service.fork("nim/deeper", "deepest", by="ann")
    service.fork("nim/main@0", "early", by="ann")
    match fault:
        case "altered":
            alter_row(service, is_taken_by_ben, lambda state: state.replace(b"stones\x03", b"stones\x02"))
        case "altered later":
            play(service, "take 2", place="nim/main")
            row = stored_rows(service)[-2]
            alter_row(service, lambda each: each is row, lambda state: state.replace(b"stones\x02", b"stones\x01"))
        case "refused today":
            monkeypatch.setattr(nim, "MAX_TAKEN", 2)
        case "refused later":
            monkeypatch.setattr(nim, "MAX_TAKEN", 1)
        case _:
            pass
    lines = service.line_names("nim")
    audits = {audit.line: audit for audit in service.verify_all()}
    alone = {line: replace(audit, shared_commits=0, shared_events=0) for line, audit in audits.items()}
    assert alone == {line: service.verify(f"nim/{line}") for line in lines}
    if fault == "none":
        distinct_commits = {each.digest: each for line in lines for each in service.log(f"nim/{line}", all_=True)}
        own_counts = [
            (each.commits - each.shared_commits, each.events - each.shared_events) for each in audits.values()
        ]
        event_count = sum(len(each.events) for each in distinct_commits.values())
        assert (*map(sum, zip(*own_counts, strict=True)),) == (len(distinct_commits), event_count)
    assert any(audit.fault for audit in audits.values()) is (fault != "none")


def test_a_line_is_counted_once_though_its_parent_comes_later(forked_match: GameService) -> None:
    forked_match.fork("nim/what-if", "deep", by="ann")
    forked_match.switch("nim/main", by="ann")
    forked_match.forget("nim/what-if", by="ann")
    audits = {each.line: each for each in forked_match.verify_all()}
    assert [*audits] == ["main", "deep", "what-if"], "a forgotten line is verified last"
    assert {line: each.commits - each.shared_commits for line, each in audits.items()} == {
        "main": 4,
        "deep": 1,
        "what-if": 0,
    }
    assert sum(each.events - each.shared_events for each in audits.values()) == 13


def test_verify_of_a_match_means_its_first_line(forked_match: GameService) -> None:
    assert forked_match.verify("nim").line == "main"


def test_verify_by_a_person_means_their_current_line(forked_match: GameService) -> None:
    assert forked_match.verify("nim", by="ann").line == "what-if"
    assert forked_match.verify("nim@3", by="bob").line == "main"


def test_verify_changes_nothing(forked_match: GameService) -> None:
    rows_before = list(stored_rows(forked_match))
    forked_match.verify("nim")
    assert stored_rows(forked_match) == rows_before


def is_taken_by_ben(row: StoredEvent) -> bool:
    return row.topic == "nim.stones_taken.1" and b"ben" in row.state


def test_an_altered_fact_is_found_and_placed(forked_match: GameService) -> None:
    alter_row(forked_match, is_taken_by_ben, lambda state: state.replace(b"stones\x03", b"stones\x02"))
    fault = fault_of(forked_match)
    digest = forked_match.position("nim/main@1").commit.digest
    assert (fault.kind, fault.where) == ("altered", f"after nim/main@1 ({digest[:12]})")
    assert fault.what.endswith("was altered: its digest does not match its bytes")


def test_an_altered_fact_after_a_fork_is_no_fault_of_the_fork(forked_match: GameService) -> None:
    alter_row(forked_match, is_taken_by_ben, lambda state: state.replace(b"stones\x03", b"stones\x02"))
    assert forked_match.verify("nim/what-if").fault is None


def test_an_altered_author_is_found(forked_match: GameService) -> None:
    alter_row(forked_match, lambda row: row.topic == "store.sealed.2", lambda state: state.replace(b"ann", b"eve"))
    assert fault_of(forked_match).kind == "altered"


@pytest.mark.parametrize("name", [b"nim", b"main"])
def test_altered_names_are_found(forked_match: GameService, name: bytes) -> None:
    alter_row(
        forked_match,
        lambda row: row.topic.startswith("names.") and name in row.state,
        lambda state: state.replace(b"i", b"o"),
    )
    fault = forked_match.verify("nim" if name == b"main" else "nom").fault
    assert fault
    assert (fault.kind, fault.where.startswith("the names in stream")) == ("altered", True)


def test_a_missing_row_is_damage(forked_match: GameService) -> None:
    recorder: Any = forked_match.store._backend.recorder
    stream = forked_match._repository.line("nim", "main").line.stream
    del recorder._stored_events_index[stream][4]
    fault = fault_of(GameService(forked_match.store, games=forked_match.kinds))
    assert (fault.kind, fault.where[:16]) == ("damaged", "after nim/main@0")
    assert fault.what.endswith("is damaged at revision 4: the row is missing")


def test_unreadable_bytes_are_damage(forked_match: GameService) -> None:
    class Alien(StonesTaken, frozen=True, tag="alien.1"):
        pass

    forked_match.store.codec._topics[Alien] = "nim.alien.1"
    loaded_line = forked_match._repository.line("nim", "main")
    line = loaded_line.line
    forked_match._writer.append_entry(
        line.stream, line.revision, [Alien("ann", 1)], "ann", parent=line.head, state=b"s" * 16
    )
    fault = fault_of(GameService(forked_match.store, games=forked_match.kinds))
    assert (fault.kind, "there is no event called 'nim.alien.1'" in fault.what) == ("damaged", True)


def test_a_command_that_is_refused_today_is_a_change_of_the_rules(
    forked_match: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nim, "MAX_TAKEN", 2)
    strict_service = GameService(forked_match.store, games=forked_match.kinds)
    fault = fault_of(strict_service)
    assert (fault.kind, fault.where[:10]) == ("rules changed", "nim/main@2")
    assert fault.what == "refused today: MOVE 1 to 2 of 9 stones, not 3"
    assert strict_service.verify("nim/what-if").fault is None


def test_other_facts_today_are_a_change_of_the_rules(
    forked_match: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nim, "StonesTaken", partial(StonesTaken, heap="the other heap"))
    fault = fault_of(forked_match)
    assert (fault.kind, fault.where[:10]) == ("rules changed", "nim/main@1")
    assert fault.what.startswith("fact 1 was ")
    assert "the other heap" in fault.what


def test_facts_with_the_same_text_are_distinguished_by_their_fields(
    forked_match: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nim, "StonesTaken", partial(StonesTaken, heap="the other heap"))
    monkeypatch.setattr(nim.GAME.notation, "describe", lambda event: f"{event.seat} takes")
    assert fault_of(forked_match).what == "fact 1 (ann takes) would have another heap today"


def test_another_state_from_the_same_facts_is_a_change_of_the_rules(
    forked_match: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nim.GAME.evolution, "canonical", lambda _: b"another form")
    assert fault_of(forked_match).what == "its facts lead to another state today"


def test_rules_that_fail_have_changed(forked_match: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nim, "moves", lambda *_: 1 / 0)
    fault = fault_of(forked_match)
    assert (fault.kind, fault.what[:49]) == ("rules changed", "the rules of today fail on it: ZeroDivisionError:")


def flip_each_bit(rows: list[StoredEvent], step: int) -> Iterator[int]:
    """Flips every `step`-th bit of each row, one at a time; yields the index of the row."""
    for index, row in enumerate(list(rows)):
        for bit in range(index % step, len(row.state) * 8, step):
            altered_state = bytearray(row.state)
            altered_state[bit // 8] ^= 1 << bit % 8
            rows[index] = StoredEvent(row.originator_id, row.originator_version, row.topic, bytes(altered_state))
            yield index
        rows[index] = row


def test_a_flipped_bit_anywhere_is_found(forked_match: GameService) -> None:
    places = ("nim/main", "nim/what-if")
    for _ in flip_each_bit(stored_rows(forked_match), 11):
        new_service = GameService(forked_match.store, games=forked_match.kinds)
        assert any(has_fault(new_service, place) for place in places)
    assert not any(has_fault(forked_match, place) for place in places)


def has_fault(service: GameService, place: str) -> bool:
    return service.verify(place).fault is not None


def test_three_releases_play_on_in_one_store(url: str) -> None:
    for number, release in enumerate([RELEASE_1, RELEASE_2, NIM_ONLY]):
        service = service_on(url, release, id_prefix=str(number))
        with service.store:
            if not service.games():
                service.new("nim", {}, name="nim", by="ann")
            position = play(service, "take 1", "take 2")
            assert (position.state.stones, position.commit.number) == (10 - 3 * (number + 1), 2 * (number + 1))
            audit = service.verify("nim")
            assert (audit.fault, audit.commits) == (None, 2 * (number + 1) + 1)
            commands = [commit.text for commit in service.log("nim")]
            assert commands == ["set up 10", *itertools.islice(itertools.cycle(["take 1", "take 2"]), 2 * (number + 1))]


def test_an_older_release_reports_events_that_it_does_not_know(url: str) -> None:
    with (new_service := service_on(url)).store:
        new_service.new("nim", {}, name="nim", by="ann")
        play(new_service, "take 1")
    with (old_service := service_on(url, RELEASE_1)).store:
        assert "there is no event called 'nim.stones_taken.1'" in old_service.games()[0].status


def test_a_truncated_line_verifies_but_lacks_its_last_digest(service: GameService) -> None:
    """A line of which only the beginning was copied looks just like one that has lost its end."""
    play(service, "take 1")
    digest = play(service, "take 3").commit.digest
    assert service.verify(f"nim@{digest}").fault is None
    other_service = service_on("memory:")
    with other_service.store:
        other_service.adopt(service.certificate("nim@1"), by="ann")
        assert other_service.verify("nim").fault is None
        with pytest.raises(UnknownError, match="there is no position"):
            other_service.verify(f"nim@{digest}")
