"""Chat is stored like moves, and private notes stay private."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from event_store import EventStore, TakenError
from tests.service.nim_service import play, service_on
from zimcore.game import GameError, UnknownError
from zimcore.service import EVERYTHING, SPECTATOR, GameService, Viewer
from zimcore.service.care import maintenance
from zimcore.service.records.discussion import MAX_CHARACTERS, Discussion, names_stream_of

ANN, BEN = Viewer("ann"), Viewer("ben")


def visible_texts(service: GameService, by: str = "ann", viewer: Viewer = ANN) -> list[str]:
    return [each.text for each in service.talk("nim", by=by, viewer=viewer)]


@pytest.fixture
def service_with_talk(url: str) -> Iterator[GameService]:
    """A game on the disk with a message and a note."""
    service = service_on(url)
    service.new("nim", {"seed": "7"}, name="nim", by="ann")
    service.say("nim", "good luck", by="ann", viewer=ANN)
    service.say("nim", "I will take 3", by="ann", own=True, viewer=ANN)
    with service.store:
        yield service


def test_all_read_messages_and_only_the_author_reads_a_note(service_with_talk: GameService) -> None:
    service_with_talk.say("nim", "thanks", by="ben", viewer=BEN)
    assert visible_texts(service_with_talk) == ["good luck", "I will take 3", "thanks"]
    assert visible_texts(service_with_talk, "ben", BEN) == ["good luck", "thanks"]
    assert visible_texts(service_with_talk, "ann", BEN) == ["good luck", "thanks"], (
        "at the seat of ben nobody reads what ann knew"
    )
    assert visible_texts(service_with_talk, "eve", SPECTATOR) == ["good luck", "thanks"]
    assert visible_texts(service_with_talk, "eve", EVERYTHING) == ["good luck", "thanks"]
    first_message, note, _ = service_with_talk.talk("nim", by="ann", viewer=ANN)
    assert (first_message.by, first_message.seat, first_message.own, note.own) == ("ann", "ann", False, True)


def test_services_on_one_store_read_each_other_s_messages(service_with_talk: GameService, url: str) -> None:
    ben_service = service_on(url, id_prefix="ben")
    assert visible_texts(ben_service, "ben", BEN) == ["good luck"]
    ben_service.say("nim", "well played", by="ben", viewer=BEN)
    assert [each.text for each in service_with_talk.discussion("nim").remarks] == ["good luck", "well played"]
    ben_service.store.close()


def test_a_message_may_be_about_a_position(service_with_talk: GameService) -> None:
    play(service_with_talk, "take 3")
    message = service_with_talk.say("nim@1", "a strong opening", by="ben", viewer=BEN)
    assert message.about == service_with_talk.position("nim@1").commit.digest
    with pytest.raises(UnknownError):
        service_with_talk.say("nim@9", "here?", by="ben", viewer=BEN)
    with pytest.raises(UnknownError):
        service_with_talk.say("chess", "here?", by="ben", viewer=BEN)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *(("", "no text given"), ("  ", "no text given"), ("x" * (MAX_CHARACTERS + 1), "too long")),
        *(("a\nb", "can't be said"), ("\x1b[2J", "can't be said"), ("\u202etxt", "can't be said")),
        ("\ud800", "can't be said"),
    ],
)
def test_an_invalid_message_is_refused(service_with_talk: GameService, text: str, reason: str) -> None:
    with pytest.raises(GameError, match=reason):
        service_with_talk.say("nim", text, by="ann", viewer=ANN)
    assert visible_texts(service_with_talk) == ["good luck", "I will take 3"]


def test_messages_may_be_in_any_script(service_with_talk: GameService) -> None:
    for text in ("né à Łódź", "שלום", "👩\u200d🚀 \U0001d11e", "x" * MAX_CHARACTERS):
        service_with_talk.say("nim", text, by="ben", viewer=BEN)
        assert visible_texts(service_with_talk)[-1] == text


def test_a_spectator_writes_no_message(service_with_talk: GameService) -> None:
    with pytest.raises(GameError, match="say is not for a spectator"):
        service_with_talk.say("nim", "hello", by="eve", viewer=SPECTATOR)


@pytest.mark.parametrize("is_note", [False, True])
def test_a_retried_message_is_stored_once(service_with_talk: GameService, is_note: bool) -> None:
    first_message = service_with_talk.say("nim", "hello", by="ann", own=is_note, command_id="c1", viewer=ANN)
    assert service_with_talk.say("nim", "hello", by="ann", own=is_note, command_id="c1", viewer=ANN) == first_message
    assert visible_texts(service_with_talk).count("hello") == 1
    with pytest.raises(TakenError):
        service_with_talk.say("nim", "goodbye", by="ann", own=is_note, command_id="c1", viewer=ANN)


def test_an_export_has_messages_and_no_notes(service_with_talk: GameService, tmp_path: Path) -> None:
    lines = list(service_with_talk.export(EVERYTHING))
    other_service = service_on(f"sqlite:///{tmp_path}/other.zim")
    with other_service.store:
        other_service.import_(lines, by="ben")
        assert visible_texts(other_service) == ["good luck"]
        assert list(other_service.export(EVERYTHING)) == lines
        assert other_service.verify("nim").fault is None
        assert not any(".own." in stream for stream in other_service.store.streams())


def test_a_removed_game_takes_its_messages_along(service_with_talk: GameService) -> None:
    assert {names_stream_of(stream) for stream in service_with_talk.store.streams()} > {""}
    service_with_talk.remove("nim", by="ann")
    assert service_with_talk.store.streams() == ["games"]


def test_messages_have_no_faults(service_with_talk: GameService) -> None:
    assert [audit.fault for audit in service_with_talk.verify_all()] == [None]
    assert service_with_talk.check() == ()


@pytest.mark.parametrize("is_note", [False, True])
def test_an_altered_message_is_found_and_the_others_are_saved(
    service_with_talk: GameService, url: str, tmp_path: Path, is_note: bool
) -> None:
    import sqlite3

    service_with_talk.say("nim", "again", by="ann", own=is_note, viewer=ANN)
    (stream,) = [
        each for each in service_with_talk.store.streams() if names_stream_of(each) and (".own." in each) == is_note
    ]
    service_with_talk.store.close()
    with sqlite3.connect(tmp_path / "games.zim") as database:
        database.execute(
            "UPDATE stored_events SET state = CAST(replace(state, ?, ?) AS BLOB)"
            " WHERE originator_id = ? AND originator_version = 0",
            (b"I will" if is_note else b"luck", b"U will" if is_note else b"lack", stream),
        )
    with EventStore.open(url) as store:
        service = GameService(store, games={"nim": "tests.nim:GAME"})
        if not is_note:
            fault = service.verify("nim").fault
            assert fault
            assert fault.kind == "altered"
        assert [each.stream for each in service.check()] == [stream]
        salvage = maintenance.save_intact_streams(store, f"sqlite:///{tmp_path}/saved.zim")
        assert salvage.lost == (stream,)
    with EventStore.open(f"sqlite:///{tmp_path}/saved.zim") as saved_store:
        service = GameService(saved_store, games={"nim": "tests.nim:GAME"})
        discussion = Discussion(stream)
        discussion.refresh(saved_store)
        assert [each.text for each in discussion.remarks] == ["again"]
        assert service.check() == ()
