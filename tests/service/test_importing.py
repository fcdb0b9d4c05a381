"""Every import is checked before any of it is stored; a refused one leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from event_store import Entry, input_limits
from tests.nim import NimPlayed, StonesTaken, Take
from tests.service.forged_files import export_with_forged_line, export_with_forged_names, forge_certificate
from tests.service.nim_service import log_texts, play, service_on
from zimcore.game import Event, GameError
from zimcore.service import EVERYTHING, ConflictError, DamagedError, GameService
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.proofs import certificates, importing
from zimcore.service.proofs.importing import FaultyError
from zimcore.service.records.names import GameNamed, ImportedAsRecorded, LineForgotten, LineNamed


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
def other_service(url: str) -> Iterator[GameService]:
    """Another store, which has a game of its own."""
    service = service_on(url, id_prefix="other")
    with service.store:
        service.new("nim", {}, name="mine", by="cid")
        yield service


@pytest.fixture
def unchanged_file(tmp_path: Path, other_service: GameService) -> Iterator[None]:
    """Checks that a test leaves the file of `other_service` as it was, byte for byte."""
    other_service.store.close()  # closing moves the whole log into the one file
    contents_before = file_contents(tmp_path)
    yield
    other_service.store.close()
    assert file_contents(tmp_path) == contents_before


def file_contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix == ".zim"}


def take_one_less(number: int, events: Sequence[Event]) -> Sequence[Event]:
    """Changes the events of @2: one stone is taken, whatever the command was."""
    if number != 2:
        return events
    return [
        events[0],
        *(
            msgspec.structs.replace(event, stones=1) if isinstance(event, StonesTaken) else event
            for event in events[1:]
        ),
    ]


@pytest.mark.usefixtures("unchanged_file")
def test_a_forged_payment_is_refused(two_matches: GameService, other_service: GameService) -> None:
    """The chain is valid, as all of it was sealed anew: only deciding the command again shows the forgery."""
    certificate = forge_certificate(two_matches, two_matches.certificate("nim/main"), take_one_less)
    assert certificates.verify_certificate(certificate, two_matches.kinds).fault
    with pytest.raises(FaultyError, match="it is not imported: nim/main@2") as error:
        other_service.adopt(certificate, by="cid")
    assert "fact 1" in error.value.why
    assert error.value.kind == "rules changed"
    assert error.value.hints == importing.RETRY_HINTS


def test_an_import_as_recorded_keeps_its_mark(two_matches: GameService, other_service: GameService) -> None:
    forgery = forge_certificate(two_matches, two_matches.certificate("nim/main"), take_one_less)
    other_service.adopt(forgery, "forged", by="cid", as_recorded=True)
    assert log_texts(other_service, "forged") == log_texts(two_matches, "nim/main")
    other_service.fork("forged@1", "before", by="cid")
    other_service.fork("forged/main@2", "after", by="cid")
    play(other_service, "take 1", place="forged/after")
    other_service.rename("forged/main", "renamed", by="cid")
    for place in ("forged/renamed", "forged/renamed@2", "forged/after"):
        assert other_service.recorded_deviation(place).startswith("@2 was imported by cid on 2024-05-01: "), place
    for place in ("forged/renamed@1", "forged/before"):
        assert other_service.recorded_deviation(place) == ""
    assert [bool(line.recorded) for line in other_service.lines("forged")] == [True, False, True]
    assert [bool(audit.recorded) for audit in other_service.verify_all() if audit.game == "forged"] == [
        True,
        False,
        True,
    ]
    assert other_service.verify("forged/renamed").recorded.startswith("@2 was imported by cid")
    assert "as recorded" in [operation.what for operation in other_service.operations("forged")]
    exported_again = other_service.certificate("forged/renamed")
    with pytest.raises(FaultyError):
        two_matches.adopt(exported_again, by="ann")


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (2, lambda events: [events[1]]),
        (1, lambda events: [NimPlayed("ann", Take(9)), *events[1:]]),
        (0, lambda events: [NimPlayed("ann", Take(1)), *events[1:]]),
    ],
)
@pytest.mark.usefixtures("unchanged_file")
def test_impossible_events_are_refused(
    two_matches: GameService,
    other_service: GameService,
    number: int,
    change: Callable[[Sequence[Event]], Sequence[Event]],
) -> None:
    def change_at(commit_number: int, events: Sequence[Event]) -> Sequence[Event]:
        return change(events) if commit_number == number else events

    certificate = forge_certificate(two_matches, two_matches.certificate("nim/main"), change_at)
    with pytest.raises((FaultyError, DamagedError)):
        other_service.adopt(certificate, by="cid")


@pytest.mark.usefixtures("unchanged_file")
def test_a_chain_that_is_broken_is_refused_as_recorded_too(
    two_matches: GameService, other_service: GameService
) -> None:
    """A forged @1 with the original @2 behind it."""
    genuine_certificate = two_matches.certificate("nim/main")
    forged_certificate = forge_certificate(
        two_matches, genuine_certificate, lambda number, events: events[:2] if number == 1 else events
    )
    mixed_certificate = msgspec.structs.replace(
        genuine_certificate,
        links=(genuine_certificate.links[0], forged_certificate.links[1], genuine_certificate.links[2]),
    )
    for as_recorded in (False, True):
        with pytest.raises(FaultyError) as error:
            other_service.adopt(mixed_certificate, by="cid", as_recorded=as_recorded)
        assert error.value.kind == "altered"


def test_an_import_whose_name_is_taken_meanwhile_chooses_another(
    two_matches: GameService, other_service: GameService, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original_adopt = other_service.store.adopt

    def adopt_after_another(entries: list[Entry]) -> None:
        monkeypatch.undo()
        service_on(url, id_prefix="faster").adopt(two_matches.certificate("other"), "nim", by="ben")
        original_adopt(entries)

    monkeypatch.setattr(other_service.store, "adopt", adopt_after_another)
    assert other_service.adopt(two_matches.certificate("nim"), by="cid").match == "nim-1"
    assert [info.name for info in other_service.games()] == ["mine", "nim", "nim-1"]
    assert len(other_service.store.streams()) == 1 + 3 * 2, "the first try left nothing"


def test_a_whole_store_is_stored_game_by_game(
    two_matches: GameService, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = list(two_matches.export())
    new_service = service_on(url)
    original_adopt, adopts_left = new_service.store.adopt, iter(range(1))

    def interrupt_second_adopt(entries: Sequence[Entry]) -> None:
        if next(adopts_left, None) is None:
            raise KeyboardInterrupt
        original_adopt(entries)

    monkeypatch.setattr(new_service.store, "adopt", interrupt_second_adopt)
    with pytest.raises(KeyboardInterrupt):
        new_service.import_(export, by="cid")
    assert [(info.name, info.lines, info.head) for info in service_on(url).games()] == [("nim", 2, 2)]
    resumed_service = service_on(url)
    assert resumed_service.import_(export, by="cid").entries == sum(1 for _ in two_matches.store.all_entries())
    assert list(resumed_service.export()) == export
    assert not any(audit.fault for audit in resumed_service.verify_all())


def check_import_refused(
    other_service: GameService, lines: list[bytes], reason: str, *, as_recorded: bool = False
) -> None:
    with pytest.raises((FaultyError, DamagedError, GameError)) as error:
        other_service.import_(lines, by="cid", as_recorded=as_recorded)
    assert reason in str(error.value), error.value


@pytest.fixture
def empty_service(tmp_path: Path) -> Iterator[GameService]:
    """A store without a file: there is none before a refused import, and none after it."""
    path = tmp_path / "empty.zim"
    service = service_on(f"sqlite:///{path}")
    with service.store:
        yield service
    assert not path.exists()


def test_a_store_with_one_forged_game_is_refused(two_matches: GameService, empty_service: GameService) -> None:
    stream = two_matches._repository.line("other", "main").line.stream
    play(two_matches, "take 3", "take 3", place="other")
    check_import_refused(empty_service, export_with_forged_line(two_matches, stream, take_one_less), "other/main@2")


@pytest.mark.parametrize("as_recorded", [False, True])
def test_names_that_contradict_one_another_are_refused(
    two_matches: GameService, empty_service: GameService, as_recorded: bool
) -> None:
    names_stream = two_matches._repository.names("nim").stream
    for events, reason in {
        (LineForgotten("never"),): "there is no line called 'never'",
        (LineNamed("what-if", "elsewhere"),): "there is a line called 'what-if' already",
        (LineNamed("../evil", two_matches._repository.line("nim").line.stream),): "not a name: '../evil'",
        (LineNamed("nowhere", "nowhere"),): "the line has no commits",
        (GameNamed("nim", "nim", "x"),): "this event does not belong in this stream",
    }.items():
        check_import_refused(
            empty_service, export_with_forged_names(two_matches, names_stream, *events), reason, as_recorded=as_recorded
        )
    catalogue_faults = {
        (GameNamed("other", "nim", names_stream),): "there is a game called 'other' already",
        (GameNamed("\x1b[2J", "nim", names_stream),): "not a name: ",
        (GameNamed("more", "chess", names_stream),): "there is no kind of game called 'chess'",
        (GameNamed("more", "nim", "nowhere"),): "its lines have no names",
    }
    for catalogue_events, reason in catalogue_faults.items():
        check_import_refused(
            empty_service,
            export_with_forged_names(two_matches, "games", *catalogue_events),
            reason,
            as_recorded=as_recorded,
        )


def test_a_store_as_recorded_is_marked(two_matches: GameService, url: str) -> None:
    stream = two_matches._repository.line("other", "main").line.stream
    play(two_matches, "take 3", "take 3", place="other")
    forgery = export_with_forged_line(two_matches, stream, take_one_less)
    new_service = service_on(url)
    with new_service.store:
        assert new_service.import_(forgery, by="cid", as_recorded=True)
        assert new_service.recorded_deviation("other").startswith("@2 was imported by cid")
        assert new_service.recorded_deviation("nim") == new_service.recorded_deviation("other@1") == ""
        entry_count = sum(1 for _ in new_service.store.all_entries())
        assert new_service.import_(forgery, by="cid", as_recorded=True)
        assert sum(1 for _ in new_service.store.all_entries()) == entry_count, "the line is marked once"


def test_a_mark_in_a_file_does_not_let_a_forgery_in(two_matches: GameService, empty_service: GameService) -> None:
    stream = two_matches._repository.line("other", "main").line.stream
    play(two_matches, "take 3", "take 3", place="other")
    names = two_matches._repository.names("other")
    digest = bytes.fromhex(two_matches.position("other").commit.digest)
    two_matches._writer.append_entry(names.stream, names.revision, [ImportedAsRecorded(digest, "all is well")], "eve")
    check_import_refused(empty_service, export_with_forged_line(two_matches, stream, take_one_less), "other/main@2")


def test_a_store_with_other_games_is_left_as_it_is(two_matches: GameService, other_service: GameService) -> None:
    export_before = list(other_service.export())
    with pytest.raises(ConflictError, match="nothing was imported: the store has other games"):
        other_service.import_(two_matches.export(), by="cid")
    assert list(other_service.export()) == export_before


def test_any_size_lifts_the_limit_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_limits, "FOREIGN_FILE", input_limits.InputLimits(max_size=10))
    file = BytesIO(b"twenty bytes and more")
    with pytest.raises(DamagedError, match="more than 10 bytes"):
        list(importing.limited_lines(file))
    assert list(importing.limited_lines(BytesIO(b"twenty bytes and more"), any_size=True))


def test_an_import_reports_its_progress(
    two_matches: GameService, other_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zimcore.service.proofs.audit.REPORT_INTERVAL", 1)
    reports: list[tuple[int, int]] = []
    other_service.adopt(
        two_matches.certificate("nim/main"), by="cid", report=lambda done, total: reports.append((done, total))
    )
    assert reports == [(1, 3), (2, 3), (3, 3)]


def test_a_list_after_an_import_folds_no_line(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with (service := service_on("memory:")).store:
        for number in range(3):
            service.new("nim", {"seed": "7"}, name=f"g{number}", by="ann")
        lines, infos = [*service.export(EVERYTHING)], service.games()
    reports = list[tuple[int, int]]()
    with (service := service_on(url)).store:
        service.import_(lines, lambda done, total: reports.append((done, total)), by="ann")
    assert reports[-1] == (3, 3)
    monkeypatch.setattr(LineRepository, "line", lambda *_: pytest.fail("a line was folded"))
    with (service := service_on(url)).store:
        assert service.games() == infos
