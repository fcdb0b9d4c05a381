"""Idempotency: a retry gets the first answer, whatever happened since, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from tests.service.table import play, service_on
from zimcore.game import GameError, Refused
from zimcore.service import ConflictError, GameService, Position, Replay, StoreError, TakenError, UnknownError

Act = Callable[..., Position | Refused | Replay]
OPERATIONS = ["new", "play", "undo", "redo", "goto", "fork", "switch", "rename", "forget", "take_back", "amend", "pick"]


def acts(service: GameService) -> dict[str, tuple[Act, Act]]:
    """Each operation as it is asked for, and another of the same kind, which may be confused with it."""
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


@pytest.fixture(params=["memory:", "sqlite", "postgresql"])
def service(request: pytest.FixtureRequest, url: str) -> Iterator[GameService]:
    """Three moves on `main`; a line `undone` on which two can be done again; ann and ben are on `main`."""
    server: str = request.getfixturevalue("postgres_store") if request.param == "postgresql" else ""
    service = service_on({"memory:": "memory:", "sqlite": url}.get(request.param, server))
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


def where(answer: Position | Refused | Replay) -> tuple[str, str, str, bool]:
    """What an answer says: the place, the commit, and whether something was stored."""
    assert not isinstance(answer, Refused)
    position = answer if isinstance(answer, Position) else answer.position
    return position.match, position.line, position.commit.digest, isinstance(answer, Replay) and answer.stored


@pytest.mark.parametrize("what", OPERATIONS)
def test_asked_again_it_is_answered_again_and_not_done_again(service: GameService, what: str) -> None:
    act, _ = acts(service)[what]
    first = where(act(by="ann", command_id="c1"))
    before = stored_rows(service)
    assert where(act(by="ann", command_id="c1")) == first
    assert stored_rows(service) == before


@pytest.mark.parametrize("what", [each for each in OPERATIONS if each != "new"])
def test_the_answer_comes_before_what_is_expected(service: GameService, what: str) -> None:
    """After the command the head has moved on: a retry is no conflict."""
    act, _ = acts(service)[what]
    seen_digest = {"redo": "nim/undone", "rename": "nim/what-if", "forget": "nim/what-if", "pick": "nim/what-if"}
    expected = service.position(seen_digest.get(what, "nim")).commit.digest
    first = where(act(by="ann", command_id="c1", expected=expected))
    if what != "forget":
        play(service, "take 1", place="nim/main")
    before = stored_rows(service)
    second_answer = where(act(by="ann", command_id="c1", expected=expected))
    assert second_answer == first or what in {"switch", "forget", "take_back"}, (
        "they give the head of a line as it stands now"
    )
    assert stored_rows(service) == before
    with pytest.raises((ConflictError, UnknownError)):
        act(by="ann", command_id="c2", expected=expected[::-1])
    assert stored_rows(service) == before


@pytest.mark.parametrize("what", OPERATIONS)
def test_no_author_gets_the_answer_of_another(service: GameService, what: str) -> None:
    act, _ = acts(service)[what]
    act(by="ann", command_id="c1")
    before = stored_rows(service)
    with pytest.raises(TakenError, match="the command id 'c1' is taken: ann has done something with it") as error:
        act(by="ben", command_id="c1")
    assert error.value.hints == ("the same with a new id",)
    assert stored_rows(service) == before


@pytest.mark.parametrize("what", OPERATIONS)
def test_an_id_is_for_one_request(service: GameService, what: str) -> None:
    act, other_request = acts(service)[what]
    act(by="ann", command_id="c1")
    before = stored_rows(service)
    with pytest.raises(TakenError, match="the command id 'c1' is taken: ann has "):
        other_request(by="ann", command_id="c1")
    assert stored_rows(service) == before


def test_an_id_is_for_one_kind_of_request_on_a_line(service: GameService) -> None:
    service.play("nim", "take 1", by="ann", command_id="c1")
    for act in (service.undo, service.redo, service.take_back):
        with pytest.raises(TakenError):
            act("nim", by="ann", command_id="c1")


@pytest.mark.parametrize("id_", ["j", "j/", "j/00", "J/0", "j/0 ", "/0"])
def test_the_beginning_of_an_id_is_another_one(service: GameService, id_: str) -> None:
    service.play("nim", "take 1", by="ben", command_id="j/0")
    answer = service.play("nim", "take 2", by="ann", command_id=id_)
    assert not isinstance(answer, Refused)
    assert (answer.commit.by, answer.commit.text) == ("ann", "take 2")


@pytest.mark.parametrize("id_", ["a\nb", "\x1b[2J", "x" * 201])
def test_an_id_is_one_line_of_text(service: GameService, id_: str) -> None:
    with pytest.raises(GameError, match="no id"):
        service.undo("nim", by="ann", command_id=id_)


@pytest.mark.parametrize("expected", ["abc", "@12", "main", "not a digest"])
def test_what_is_expected_is_a_digest(service: GameService, expected: str) -> None:
    for act in (service.undo, partial(service.play, text="take 1")):
        with pytest.raises(GameError, match=r"not a digest.*: 4 hex digits or more"):
            act("nim", by="ann", expected=expected)


@pytest.mark.parametrize("digits", [1, 3])
def test_a_digit_of_a_digest_is_not_enough(service: GameService, digits: int) -> None:
    head = service.position("nim").commit.digest
    for act in (service.undo, partial(service.play, text="take 1")):
        with pytest.raises(GameError, match="not a digest"):
            act("nim", by="ann", expected=head[:digits])


def test_an_undo_that_was_tried_again_undoes_once(service: GameService) -> None:
    for _ in range(3):
        assert service.undo("nim", by="ann", command_id="c1").commit.number == 2
    assert service.undo("nim", by="ann", command_id="c2").commit.number == 1


def test_going_where_one_is_does_nothing_the_second_time_either(service: GameService) -> None:
    service.goto("nim@3", by="ann", command_id="c1")
    play(service, "take 1", place="nim/main")
    assert service.goto("nim@3", by="ann", command_id="c1").commit.number == 3
    assert service.position("nim").commit.number == 4


def test_a_fork_is_found_under_its_new_name(service: GameService) -> None:
    first = service.fork("nim@2", "line", by="ann", command_id="c1")
    service.rename("nim/line", "better", by="ann")
    play(service, "take 3", place="nim/better")
    second_answer = service.fork("nim@2", "line", by="ann", command_id="c1")
    assert (second_answer.line, second_answer.commit.digest) == ("better", first.commit.digest)


def test_a_fork_that_was_forgotten_is_not_begun_again(service: GameService) -> None:
    service.fork("nim@2", "line", by="ann", command_id="c1")
    service.switch("nim/main", by="ann")
    service.forget("nim/line", by="ann")
    with pytest.raises(UnknownError, match="the line that this made no longer has a name"):
        service.fork("nim@2", "line", by="ann", command_id="c1")


def test_a_rename_tried_again_by_the_name_that_it_gave(service: GameService) -> None:
    """`zim rename nim better` is about the current line, which is called otherwise the second time."""
    for place in ("nim/what-if", "nim/better"):
        assert service.rename(place, "better", by="ann", command_id="c1").line == "better"


def test_a_pick_tried_again_when_its_source_has_moved_on(service: GameService) -> None:
    """The source of the pick is no longer needed, and may be gone."""
    first = where(service.pick("nim/what-if", "nim/main@2..3", by="ann", command_id="c1"))
    service.goto("nim/main@start", by="ann")
    play(service, "take 3", place="nim/main")
    before = stored_rows(service)
    assert where(service.pick("nim/what-if", "nim/main@2..3", by="ann", command_id="c1")) == first
    assert stored_rows(service) == before


def test_a_dry_run_asks_for_nothing(service: GameService) -> None:
    dry = service.amend("nim@2", "take 1", by="ann", command_id="c1", dry_run=True)
    stored_rows = service.amend("nim@2", "take 1", by="ann", command_id="c1")
    assert isinstance(dry, Replay)
    assert isinstance(stored_rows, Replay)
    assert (dry.stored, stored_rows.stored) == (False, True)


@pytest.mark.parametrize("what", ["new", "fork", "amend"])
@pytest.mark.parametrize("appends", [0, 1, 2])
def test_what_broke_off_is_done_when_it_is_asked_for_again(
    service: GameService, what: str, appends: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut after a part of the appends: the unnamed rest is started again."""
    insert, left = service.store._backend.insert, iter(range(appends))

    def dies(*rows: Any) -> bool:
        if next(left, None) is None:
            raise StoreError("the lights went out")
        return insert(*rows)

    act, _ = acts(service)[what]
    names = {info.name for info in service.games()} | {info.name for info in service.lines("nim")}
    with monkeypatch.context() as patch:
        patch.setattr(service.store._backend, "insert", dies)
        with suppress(StoreError):
            act(by="ann", command_id="c1")
    answers = {where(act(by="ann", command_id="c1")) for _ in range(2)}
    assert len(answers) == 1
    assert len({info.name for info in service.games()} | {info.name for info in service.lines("nim")}) == len(names) + 1
    assert not [audit.fault for audit in service.verify_all() if audit.fault]


@pytest.mark.parametrize("other", ["nim/undone@1", "nim/what-if@1"])
def test_where_a_line_begins_is_part_of_what_is_asked(service: GameService, other: str) -> None:
    """Also for the same commit on another line: with another line named, the next move may differ."""
    service.fork("nim@1", "line", by="ann", command_id="c1")
    service.amend("nim/undone@2", "take 2", by="ann", command_id="c2")
    before = stored_rows(service)
    with pytest.raises(TakenError):
        service.fork(other, "line", by="ann", command_id="c1")
    with pytest.raises(TakenError):
        service.amend("nim/main@2", "take 2", by="ann", command_id="c2")
    assert service.fork("nim/main@1", "line", by="ann", command_id="c1").line == "line"
    assert stored_rows(service) == before


@pytest.mark.parametrize("what", ["play", "undo", "redo", "goto", "fork", "switch", "take_back", "amend", "pick"])
def test_asked_again_by_the_name_that_the_line_had(service: GameService, what: str) -> None:
    act, _ = acts(service)[what]
    line = {"redo": "undone", "pick": "what-if"}.get(what, "main")
    place = f"nim/{line}"
    # Where `acts` names no line it is the first one, which has that name.
    by_name: dict[str, Act] = {
        "play": partial(service.play, place, "take 1"),
        "undo": partial(service.undo, place, 1),
        "goto": partial(service.goto, f"{place}@2"),
        "fork": partial(service.fork, f"{place}@2", "line"),
        "take_back": partial(service.take_back, place),
        "amend": partial(service.amend, f"{place}@2", "take 1"),
    }
    second_answer = by_name.get(what, act)
    first = where(act(by="ann", command_id="c1"))
    service.rename(place, "other", by="ben")
    before = stored_rows(service)
    assert where(second_answer(by="ann", command_id="c1"))[2:] == first[2:]
    with pytest.raises(UnknownError):
        second_answer(by="ann", command_id="c9")
    assert stored_rows(service) == before


def test_a_rename_is_found_under_the_newest_name(service: GameService) -> None:
    service.rename("nim/what-if", "better", by="ann", command_id="c1")
    service.rename("nim/better", "best", by="ben")
    assert service.rename("nim/what-if", "better", by="ann", command_id="c1").line == "best"


def test_commands_that_are_asked_for_together_belong_together(service: GameService) -> None:
    service.play("nim", "take 1", by="ann", command_id="c1", among=("take 1", "take 2"))
    for among in [(), ("take 1",), ("take 1", "take 3"), ("take 1", "take 2", "take 1")]:
        with pytest.raises(TakenError):
            service.play("nim", "take 1", by="ann", command_id="c1", among=among)
