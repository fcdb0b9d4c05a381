"""What comes from elsewhere is checked before any of it is stored; what is refused leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from event_store import Entry, input_limits
from tests.nim import NimPlayed, StonesTaken, Take
from tests.service.forging import forge, forged_names, forged_store
from tests.service.table import play, service_on, texts
from zimcore.game import Event, GameError
from zimcore.service import ConflictError, DamagedError, GameService, certificates, importing
from zimcore.service.importing import FaultyError
from zimcore.service.names import GameNamed, LineForgotten, LineNamed, TakenAsRecorded


@pytest.fixture
def two_matches(service: GameService) -> GameService:
    """Three moves on `main`, of which one is undone; a fork of move 1 with a move of its own; a second game."""
    play(service, "take 1", "take 3", "take 3")
    service.undo("nim", by="ann")
    service.fork("nim@1", "what-if", by="ann")
    play(service, "take 2")
    service.new("nim", {"seed": "8"}, name="other", by="ann")
    return service


@pytest.fixture
def elsewhere(url: str) -> Iterator[GameService]:
    """Another store, which has a game of its own."""
    service = service_on(url, who="other")
    with service.store:
        service.new("nim", {}, name="mine", by="cid")
        yield service


@pytest.fixture
def unchanged_file(tmp_path: Path, elsewhere: GameService) -> Iterator[None]:
    """The file of that store is, byte for byte, what it was."""
    elsewhere.store.close()  # which brings all to the one file
    before = contents(tmp_path)
    yield
    elsewhere.store.close()
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix == ".zim"}


def more_taken(number: int, events: Sequence[Event]) -> Sequence[Event]:
    """At @2 one stone less was taken than was asked for."""
    if number != 2:
        return events
    return [events[0], *(msgspec.structs.replace(e, stones=1) if isinstance(e, StonesTaken) else e for e in events[1:])]


@pytest.mark.usefixtures("unchanged_file")
def test_a_forged_payment_is_refused(two_matches: GameService, elsewhere: GameService) -> None:
    """The chain holds, as all of it was sealed anew: only who decides again can see what was done."""
    certificate = forge(two_matches, two_matches.certificate("nim/main"), more_taken)
    assert certificates.verify(certificate, two_matches.kinds).fault
    with pytest.raises(FaultyError, match="it is not imported: nim/main@2") as error:
        elsewhere.adopt(certificate, by="cid")
    assert "fact 1" in error.value.why
    assert error.value.kind == "rules changed"
    assert error.value.hints == importing.RETRY_HINTS


def test_as_recorded_it_is_stored_with_a_mark_that_stays(two_matches: GameService, elsewhere: GameService) -> None:
    forgery = forge(two_matches, two_matches.certificate("nim/main"), more_taken)
    elsewhere.adopt(forgery, "forged", by="cid", as_recorded=True)
    assert texts(elsewhere, "forged") == texts(two_matches, "nim/main")
    elsewhere.fork("forged@1", "before", by="cid")
    elsewhere.fork("forged/main@2", "after", by="cid")
    play(elsewhere, "take 1", place="forged/after")
    elsewhere.rename("forged/main", "renamed", by="cid")
    for place in ("forged/renamed", "forged/renamed@2", "forged/after"):
        assert elsewhere.recorded_deviation(place).startswith("@2 was imported by cid on 2024-05-01: "), place
    for place in ("forged/renamed@1", "forged/before"):
        assert elsewhere.recorded_deviation(place) == ""
    assert [bool(line.recorded) for line in elsewhere.lines("forged")] == [True, False, True]
    assert [bool(audit.recorded) for audit in elsewhere.verify_all() if audit.game == "forged"] == [True, False, True]
    assert elsewhere.verify("forged/renamed").recorded.startswith("@2 was imported by cid")
    assert "as recorded" in [operation.what for operation in elsewhere.operations("forged")]
    again = elsewhere.certificate("forged/renamed")
    with pytest.raises(FaultyError):
        two_matches.adopt(again, by="ann")


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (2, lambda events: [events[1]]),
        (1, lambda events: [NimPlayed("ann", Take(9)), *events[1:]]),
        (0, lambda events: [NimPlayed("ann", Take(1)), *events[1:]]),
    ],
)
@pytest.mark.usefixtures("unchanged_file")
def test_what_no_game_could_record_is_refused(
    two_matches: GameService, elsewhere: GameService, number: int, change: Callable[[Sequence[Event]], Sequence[Event]]
) -> None:
    def at(this: int, events: Sequence[Event]) -> Sequence[Event]:
        return change(events) if this == number else events

    certificate = forge(two_matches, two_matches.certificate("nim/main"), at)
    with pytest.raises((FaultyError, DamagedError)):
        elsewhere.adopt(certificate, by="cid")


@pytest.mark.usefixtures("unchanged_file")
def test_a_chain_that_is_broken_is_refused_as_recorded_too(two_matches: GameService, elsewhere: GameService) -> None:
    """A forged @1 with the original @2 behind it."""
    genuine = two_matches.certificate("nim/main")
    forgery = forge(two_matches, genuine, lambda n, events: events[:2] if n == 1 else events)
    poison = msgspec.structs.replace(genuine, links=(genuine.links[0], forgery.links[1], genuine.links[2]))
    for as_recorded in (False, True):
        with pytest.raises(FaultyError) as error:
            elsewhere.adopt(poison, by="cid", as_recorded=as_recorded)
        assert error.value.kind == "altered"


def test_a_name_that_is_taken_meanwhile_is_chosen_again(
    two_matches: GameService, elsewhere: GameService, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopt = elsewhere.store.adopt

    def slow(entries: list[Entry]) -> None:
        monkeypatch.undo()
        service_on(url, who="faster").adopt(two_matches.certificate("other"), "nim", by="ben")
        adopt(entries)

    monkeypatch.setattr(elsewhere.store, "adopt", slow)
    assert elsewhere.adopt(two_matches.certificate("nim"), by="cid").match == "nim-1"
    assert [info.name for info in elsewhere.games()] == ["mine", "nim", "nim-1"]
    assert len(elsewhere.store.streams()) == 1 + 3 * 2, "of the first try nothing is left"


def test_a_whole_store_is_stored_game_by_game(
    two_matches: GameService, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = list(two_matches.export())
    fresh = service_on(url)
    adopt, left = fresh.store.adopt, iter(range(1))

    def breaks(together: Sequence[Entry]) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        adopt(together)

    monkeypatch.setattr(fresh.store, "adopt", breaks)
    with pytest.raises(KeyboardInterrupt):
        fresh.import_(export, by="cid")
    assert [(info.name, info.lines, info.head) for info in service_on(url).games()] == [("nim", 2, 2)]
    again = service_on(url)
    assert again.import_(export, by="cid") == sum(1 for _ in two_matches.store.all_entries())
    assert list(again.export()) == export
    assert not any(audit.fault for audit in again.verify_all())


def check_import_refused(elsewhere: GameService, lines: list[bytes], why: str, *, as_recorded: bool = False) -> None:
    with pytest.raises((FaultyError, DamagedError, GameError)) as error:
        elsewhere.import_(lines, by="cid", as_recorded=as_recorded)
    assert why in str(error.value), error.value


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[GameService]:
    """A store that is not there yet, nor after what is refused."""
    path = tmp_path / "empty.zim"
    service = service_on(f"sqlite:///{path}")
    with service.store:
        yield service
    assert not path.exists()


def test_of_a_store_with_one_forged_game_nothing_is_stored(two_matches: GameService, empty: GameService) -> None:
    stream = two_matches._lines.line("other", "main").line.stream
    play(two_matches, "take 3", "take 3", place="other")
    check_import_refused(empty, forged_store(two_matches, stream, more_taken), "other/main@2")


@pytest.mark.parametrize("as_recorded", [False, True])
def test_names_that_contradict_one_another_are_refused(
    two_matches: GameService, empty: GameService, as_recorded: bool
) -> None:
    names = two_matches._lines.names("nim").stream
    for events, why in {
        (LineForgotten("never"),): "there is no line called 'never'",
        (LineNamed("what-if", "elsewhere"),): "there is a line called 'what-if' already",
        (LineNamed("../evil", two_matches._lines.line("nim").line.stream),): "not a name: '../evil'",
        (LineNamed("nowhere", "nowhere"),): "the line has no commits",
        (GameNamed("nim", "nim", "x"),): "this does not belong in a stream of names",
    }.items():
        check_import_refused(empty, forged_names(two_matches, names, *events), why, as_recorded=as_recorded)
    catalogue = {
        (GameNamed("other", "nim", names),): "there is a game called 'other' already",
        (GameNamed("\x1b[2J", "nim", names),): "not a name: ",
        (GameNamed("more", "chess", names),): "there is no kind of game called 'chess'",
        (GameNamed("more", "nim", "nowhere"),): "its lines have no names",
    }
    for events_, why in catalogue.items():
        check_import_refused(empty, forged_names(two_matches, "games", *events_), why, as_recorded=as_recorded)


def test_a_store_as_recorded_is_marked(two_matches: GameService, url: str) -> None:
    stream = two_matches._lines.line("other", "main").line.stream
    play(two_matches, "take 3", "take 3", place="other")
    forgery = forged_store(two_matches, stream, more_taken)
    remote_service = service_on(url)
    with remote_service.store:
        assert remote_service.import_(forgery, by="cid", as_recorded=True)
        assert remote_service.recorded_deviation("other").startswith("@2 was imported by cid")
        assert remote_service.recorded_deviation("nim") == remote_service.recorded_deviation("other@1") == ""
        entries = sum(1 for _ in remote_service.store.all_entries())
        assert remote_service.import_(forgery, by="cid", as_recorded=True)
        assert sum(1 for _ in remote_service.store.all_entries()) == entries, "it is marked once"


def test_a_mark_that_a_file_brings_opens_no_door(two_matches: GameService, empty: GameService) -> None:
    stream = two_matches._lines.line("other", "main").line.stream
    play(two_matches, "take 3", "take 3", place="other")
    names = two_matches._lines.names("other")
    digest = bytes.fromhex(two_matches.position("other").commit.digest)
    two_matches._writer.entry(names.stream, names.revision, [TakenAsRecorded(digest, "all is well")], "eve")
    check_import_refused(empty, forged_store(two_matches, stream, more_taken), "other/main@2")


def test_a_store_with_other_games_is_left_as_it_is(two_matches: GameService, elsewhere: GameService) -> None:
    before = list(elsewhere.export())
    with pytest.raises(ConflictError, match="has another entry"):
        elsewhere.import_(two_matches.export(), by="cid")
    assert list(elsewhere.export()) == before


def test_a_file_of_any_size_is_read_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_limits, "FOREIGN", input_limits.InputLimits(size=10))
    data = BytesIO(b"twenty bytes and more")
    with pytest.raises(DamagedError, match="more than 10 bytes"):
        list(importing.lines_of(data))
    assert list(importing.lines_of(BytesIO(b"twenty bytes and more"), any_size=True))


def test_long_work_says_how_far_it_has_come(
    two_matches: GameService, elsewhere: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zimcore.service.audit.REPORT_INTERVAL", 1)
    reports: list[tuple[int, int]] = []
    elsewhere.adopt(two_matches.certificate("nim/main"), by="cid", report=lambda count, of: reports.append((count, of)))
    assert reports == [(1, 3), (2, 3), (3, 3)]
