"""Idempotency: a retry gets the first answer, whatever happened since, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from tests.service.nim_service import play, service_on
from zimcore.game import GameError, Refused
from zimcore.service import ConflictError, GameService, Position, Replay, StoreError, TakenError, UnknownError
from zimcore.service.records.discussion import Said
from zimcore.service.records.idempotency import idempotency_key

Request = Callable[..., Position | Refused | Replay]
OPERATIONS = ["new", "play", "undo", "redo", "goto", "fork", "switch", "rename", "forget", "take_back", "amend", "pick"]


def request_pairs(service: GameService) -> dict[str, tuple[Request, Request]]:
    """For each operation, a request and a similar one that must not be taken for it."""
    new, fork, amend, pick = service.new, service.fork, service.amend, service.pick
    return {
        "new": (partial(new, "nim", {"stones": "12"}), partial(new, "nim", {"stones": "13"})),
        "play": (partial(service.play, "nim", "take 1"), partial(service.play, "nim", "take 2")),
        "undo": (partial(service.undo, "nim", 1), partial(service.undo, "nim", 2)),
        "redo": (partial(service.redo, "nim/undone", 1), partial(service.redo, "nim/undone", 2)),
        "goto": (partial(service.goto, "nim@2"), partial(service.goto, "nim@1")),
        "fork": (partial(fork, "nim@2", "line"), partial(fork, "nim@1", "line")),
        "switch": (partial(service.switch, "nim/main"), partial(service.switch, "nim/undone")),
        "rename": (partial(service.rename, "nim/what-if", "better"), partial(service.rename, "nim/undone", "better")),
        "forget": (partial(service.forget, "nim/what-if"), partial(service.forget, "nim/undone")),
        "take_back": (partial(service.take_back, "nim"), partial(service.take_back, "nim", "ffff")),
        "amend": (partial(amend, "nim@2", "take 1"), partial(amend, "nim@2", "take 3")),
        "pick": (partial(pick, "nim/what-if", "nim/main@2..3"), partial(pick, "nim/what-if", "nim/main@2..2")),
    }


@pytest.fixture
def service(store_url: str) -> Iterator[GameService]:
    """Three moves on `main`; a line `undone` on which two can be done again; ann and ben are on `main`."""
    service = service_on(store_url)
    with service.store:
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        play(service, "take 1", "take 2", "take 1", place="nim/main")
        service.fork("nim@1", "what-if", by="ann")
        service.fork("nim@1", "undone", by="ann")
        play(service, "take 1", "take 1", place="nim/undone")
        service.undo("nim/undone", 2, by="ann")
        service.switch("nim/main", by="ann")
        yield service


def stored_rows(service: GameService) -> list[Any]:
    return list(service.store.rows())


def answer_summary(answer: Position | Refused | Replay) -> tuple[str, str, str, bool]:
    """The match, line and commit of an answer, and whether it is a replay that was stored."""
    assert not isinstance(answer, Refused)
    position = answer if isinstance(answer, Position) else answer.position
    return position.match, position.line, position.commit.digest, isinstance(answer, Replay) and answer.stored


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_retry_gets_the_first_answer_and_changes_nothing(service: GameService, operation: str) -> None:
    send_request, _ = request_pairs(service)[operation]
    first_answer = answer_summary(send_request(by="ann", command_id="c1"))
    rows_before = stored_rows(service)
    assert answer_summary(send_request(by="ann", command_id="c1")) == first_answer
    assert stored_rows(service) == rows_before


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each != "new"])
def test_a_retry_is_answered_before_the_expected_head_is_checked(service: GameService, operation: str) -> None:
    """After the command the head has moved on: a retry is no conflict."""
    send_request, _ = request_pairs(service)[operation]
    places = {"redo": "nim/undone", "rename": "nim/what-if", "forget": "nim/what-if", "pick": "nim/what-if"}
    expected_head = service.position(places.get(operation, "nim")).commit.digest
    first_answer = answer_summary(send_request(by="ann", command_id="c1", expected=expected_head))
    if operation != "forget":
        play(service, "take 1", place="nim/main")
    rows_before = stored_rows(service)
    second_answer = answer_summary(send_request(by="ann", command_id="c1", expected=expected_head))
    assert second_answer == first_answer or operation in {"switch", "forget", "take_back"}, (
        "these answer with the head that the line has now"
    )
    assert stored_rows(service) == rows_before
    with pytest.raises((ConflictError, UnknownError)):
        send_request(by="ann", command_id="c2", expected=expected_head[::-1])
    assert stored_rows(service) == rows_before


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_author_gets_the_answer_of_another(service: GameService, operation: str) -> None:
    send_request, _ = request_pairs(service)[operation]
    send_request(by="ann", command_id="c1")
    rows_before = stored_rows(service)
    with pytest.raises(TakenError, match="the command id 'c1' is taken: ann has done something with it") as error:
        send_request(by="ben", command_id="c1")
    assert error.value.hints == ("the same with a new id",)
    assert stored_rows(service) == rows_before


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_id_is_for_one_request(service: GameService, operation: str) -> None:
    send_request, other_request = request_pairs(service)[operation]
    send_request(by="ann", command_id="c1")
    rows_before = stored_rows(service)
    with pytest.raises(TakenError, match="the command id 'c1' is taken: ann has "):
        other_request(by="ann", command_id="c1")
    assert stored_rows(service) == rows_before


def test_an_id_is_for_one_kind_of_request_on_a_line(service: GameService) -> None:
    service.play("nim", "take 1", by="ann", command_id="c1")
    for send_request in (service.undo, service.redo, service.take_back):
        with pytest.raises(TakenError):
            send_request("nim", by="ann", command_id="c1")


@pytest.mark.parametrize("command_id", ["j", "j/", "j/00", "J/0", "j/0 ", "/0"])
def test_the_beginning_of_an_id_is_another_id(service: GameService, command_id: str) -> None:
    service.play("nim", "take 1", by="ben", command_id="j/0")
    answer = service.play("nim", "take 2", by="ann", command_id=command_id)
    assert not isinstance(answer, Refused)
    assert (answer.commit.by, answer.commit.text) == ("ann", "take 2")


@pytest.mark.parametrize("command_id", ["a\nb", "\x1b[2J", "x" * 201])
def test_an_id_is_one_line_of_text(service: GameService, command_id: str) -> None:
    with pytest.raises(GameError, match="not a command id"):
        service.undo("nim", by="ann", command_id=command_id)


@pytest.mark.parametrize("expected_head", ["abc", "@12", "main", "not a digest"])
def test_an_expected_head_is_a_digest(service: GameService, expected_head: str) -> None:
    for send_request in (service.undo, partial(service.play, text="take 1")):
        with pytest.raises(GameError, match=r"not a digest.*: 4 hex digits or more"):
            send_request("nim", by="ann", expected=expected_head)


@pytest.mark.parametrize("digit_count", [1, 3])
def test_a_few_digits_of_a_digest_are_not_enough(service: GameService, digit_count: int) -> None:
    head = service.position("nim").commit.digest
    for send_request in (service.undo, partial(service.play, text="take 1")):
        with pytest.raises(GameError, match="not a digest"):
            send_request("nim", by="ann", expected=head[:digit_count])


def test_a_retried_undo_undoes_once(service: GameService) -> None:
    for _ in range(3):
        assert service.undo("nim", by="ann", command_id="c1").commit.number == 2
    assert service.undo("nim", by="ann", command_id="c2").commit.number == 1


def test_a_retried_goto_of_the_head_does_not_move_it(service: GameService) -> None:
    service.goto("nim@3", by="ann", command_id="c1")
    play(service, "take 1", place="nim/main")
    assert service.goto("nim@3", by="ann", command_id="c1").commit.number == 3
    assert service.position("nim").commit.number == 4


def test_a_fork_is_found_under_its_new_name(service: GameService) -> None:
    first_answer = service.fork("nim@2", "line", by="ann", command_id="c1")
    service.rename("nim/line", "better", by="ann")
    play(service, "take 3", place="nim/better")
    second_answer = service.fork("nim@2", "line", by="ann", command_id="c1")
    assert (second_answer.line, second_answer.commit.digest) == ("better", first_answer.commit.digest)


def test_a_forgotten_fork_is_not_made_again(service: GameService) -> None:
    service.fork("nim@2", "line", by="ann", command_id="c1")
    service.switch("nim/main", by="ann")
    service.forget("nim/line", by="ann")
    with pytest.raises(UnknownError, match="the line that this made no longer has a name"):
        service.fork("nim@2", "line", by="ann", command_id="c1")


def test_a_retried_rename_may_name_the_line_by_its_new_name(service: GameService) -> None:
    """`zim rename nim better` is about the current line, which is called otherwise the second time."""
    for place in ("nim/what-if", "nim/better"):
        assert service.rename(place, "better", by="ann", command_id="c1").line == "better"


def test_a_retried_pick_needs_no_source(service: GameService) -> None:
    """The source of the pick may have moved on or be gone."""
    first_answer = answer_summary(service.pick("nim/what-if", "nim/main@2..3", by="ann", command_id="c1"))
    service.goto("nim/main@start", by="ann")
    play(service, "take 3", place="nim/main")
    rows_before = stored_rows(service)
    assert answer_summary(service.pick("nim/what-if", "nim/main@2..3", by="ann", command_id="c1")) == first_answer
    assert stored_rows(service) == rows_before


def test_a_dry_run_does_not_use_up_its_command_id(service: GameService) -> None:
    dry_run = service.amend("nim@2", "take 1", by="ann", command_id="c1", dry_run=True)
    real_run = service.amend("nim@2", "take 1", by="ann", command_id="c1")
    assert isinstance(dry_run, Replay)
    assert isinstance(real_run, Replay)
    assert (dry_run.stored, real_run.stored) == (False, True)


@pytest.mark.parametrize("operation", ["new", "fork", "amend"])
@pytest.mark.parametrize("append_count", [0, 1, 2])
def test_a_retry_completes_an_interrupted_request(
    service: GameService, operation: str, append_count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut after a part of the appends: the unnamed rest is started again."""
    insert, appends_left = service.store._backend.insert_rows, iter(range(append_count))

    def insert_or_fail(*rows: Any) -> bool:
        if next(appends_left, None) is None:
            raise StoreError("the lights went out")
        return insert(*rows)

    send_request, _ = request_pairs(service)[operation]
    names_before = {info.name for info in service.games()} | {info.name for info in service.lines("nim")}
    with monkeypatch.context() as patch:
        patch.setattr(service.store._backend, "insert_rows", insert_or_fail)
        with suppress(StoreError):
            send_request(by="ann", command_id="c1")
    answers = {answer_summary(send_request(by="ann", command_id="c1")) for _ in range(2)}
    assert len(answers) == 1
    assert (
        len({info.name for info in service.games()} | {info.name for info in service.lines("nim")})
        == len(names_before) + 1
    )
    assert not [audit.fault for audit in service.verify_all() if audit.fault]


@pytest.mark.parametrize("other_place", ["nim/undone@1", "nim/what-if@1"])
def test_the_place_of_a_fork_is_part_of_the_request(service: GameService, other_place: str) -> None:
    """Also for the same commit on another line: with another line named, the next move may differ."""
    service.fork("nim@1", "line", by="ann", command_id="c1")
    service.amend("nim/undone@2", "take 2", by="ann", command_id="c2")
    rows_before = stored_rows(service)
    with pytest.raises(TakenError):
        service.fork(other_place, "line", by="ann", command_id="c1")
    with pytest.raises(TakenError):
        service.amend("nim/main@2", "take 2", by="ann", command_id="c2")
    assert service.fork("nim/main@1", "line", by="ann", command_id="c1").line == "line"
    assert stored_rows(service) == rows_before


@pytest.mark.parametrize("operation", ["play", "undo", "redo", "goto", "fork", "switch", "take_back", "amend", "pick"])
def test_a_retry_may_name_a_renamed_line_by_its_old_name(service: GameService, operation: str) -> None:
    send_request, _ = request_pairs(service)[operation]
    line = {"redo": "undone", "pick": "what-if"}.get(operation, "main")
    place = f"nim/{line}"
    # Where `request_pairs` names no line it is the first one, which has that name.
    requests_by_operation: dict[str, Request] = {
        "play": partial(service.play, place, "take 1"),
        "undo": partial(service.undo, place, 1),
        "goto": partial(service.goto, f"{place}@2"),
        "fork": partial(service.fork, f"{place}@2", "line"),
        "take_back": partial(service.take_back, place),
        "amend": partial(service.amend, f"{place}@2", "take 1"),
    }
    retry_request = requests_by_operation.get(operation, send_request)
    first_answer = answer_summary(send_request(by="ann", command_id="c1"))
    service.rename(place, "other", by="ben")
    rows_before = stored_rows(service)
    assert answer_summary(retry_request(by="ann", command_id="c1"))[2:] == first_answer[2:]
    with pytest.raises(UnknownError):
        retry_request(by="ann", command_id="c9")
    assert stored_rows(service) == rows_before


def test_a_rename_is_found_under_the_newest_name(service: GameService) -> None:
    service.rename("nim/what-if", "better", by="ann", command_id="c1")
    service.rename("nim/better", "best", by="ben")
    assert service.rename("nim/what-if", "better", by="ann", command_id="c1").line == "best"


@pytest.mark.parametrize("seat", ["", None])
@pytest.mark.parametrize("line", ["", "main", "what-if", "undone"])
def test_a_message_of_an_earlier_version_is_recognised(service: GameService, line: str, seat: str | None) -> None:
    """Earlier versions had in the request the line that was current, and whether the viewer saw everything."""
    key = idempotency_key("c1", "say", line, "", "well played", False, seat)
    service._writer.append_from_fold(lambda: service.discussion("nim"), lambda _: [Said("well played")], "ann", key)
    rows_before = stored_rows(service)
    for place in ("nim", "nim/what-if"):
        assert service.say(place, "well played", by="ann", command_id="c1").number == 1
        with pytest.raises(TakenError):
            service.say(place, "badly played", by="ann", command_id="c1")
    assert stored_rows(service) == rows_before


def test_a_request_may_name_its_line_by_another_of_its_names(service: GameService) -> None:
    first_remark = service.say("nim/what-if@1", "well played", by="ann", command_id="c1")
    service.rename("nim/what-if", "better", by="ann")
    assert service.say("nim/better@1", "well played", by="ann", command_id="c1") == first_remark
    with pytest.raises(TakenError):
        service.say("nim/main@1", "well played", by="ann", command_id="c1")


def test_commands_of_one_request_belong_together(service: GameService) -> None:
    service.play("nim", "take 1", by="ann", command_id="c1", among=("take 1", "take 2"))
    for earlier_texts in [(), ("take 1",), ("take 1", "take 3"), ("take 1", "take 2", "take 1")]:
        with pytest.raises(TakenError):
            service.play("nim", "take 1", by="ann", command_id="c1", among=earlier_texts)
