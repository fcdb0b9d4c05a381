"""What every backend must do. A test module for a new one inherits `StoreContract` and says what its url is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL

from event_store import ConflictError, DamagedError, Entry, EventStore, NewerError, StoreError
from event_store.backends import postgres, sqlite
from event_store.backends.postgres import PostgresRecorder
from event_store.backends.sqlite import SQLiteRecorder
from event_store.chain import Draft, Row
from event_store.codec import UnknownTopicError, encode
from event_store.marks import FORMAT, FORMAT_MARK, Unfinished, format_row
from event_store.projections import StoredProjection, pack_projection
from event_store.store import LastRow
from tests.event_store.diary import AT, Counted, Noted, commit, note, open_diary


def alter_author(entry: Entry) -> list[Row]:
    """The rows of an entry, with another author."""
    *rows, (revision, topic, seal) = entry.all_rows
    return [*rows, (revision, topic, seal.replace(b"signed", b"singed"))]


def note_entries(stream: str, *texts: str) -> list[Entry]:
    """The entries of a stream with these notes, one each."""
    with open_diary("memory:") as other_store:
        return [note(other_store, stream, 2 * number - 1, text) for number, text in enumerate(texts)]


def note_rows(stream: str, *texts: str) -> list[Row]:
    """The rows of the entries of a stream with these notes."""
    return [row for entry in note_entries(stream, *texts) for row in entry.all_rows]


def raise_number(store: EventStore, number: int = FORMAT + 1, least_zim: str = "9.1") -> None:
    """Marks a store as a newer Zim would."""
    plant_mark(store, format_row(number, least_zim))


def plant_mark(store: EventStore, row: StoredProjection) -> None:
    """Stores the row of a mark, whatever it says."""
    match store._backend.recorder:
        case PostgresRecorder() as recorder:
            statement = SQL(postgres.STORE_PROJECTIONS).format(**recorder._sql_names)
            with psycopg.connect(str(recorder.pool.conninfo), cursor_factory=psycopg.ClientCursor) as connection:
                connection.execute(statement, tuple([value] for value in row))
            recorder._forget_marks()
        case SQLiteRecorder(path=path) as recorder:
            recorder.create()
            with closing(sqlite3.connect(path, isolation_level=None)) as database:
                database.execute(sqlite.CREATE_PROJECTIONS)
                database.execute(sqlite.STORE_PROJECTIONS, row)
        case recorder:
            recorder.insert_rows([], [row])


class StoreContract:
    @pytest.fixture
    def store(self, url: str) -> Iterator[EventStore]:
        with open_diary(url) as store:
            yield store

    def test_a_missing_stream_is_empty(self, store: EventStore) -> None:
        assert list(store.read("a")) == []

    def test_appended_events_can_be_read(self, store: EventStore) -> None:
        note(store, "a", -1, "one", "two", by="ben", id="c1", state=b"s" * 16)
        (entry,) = store.read("a")
        assert entry.events == (Noted("one"), Noted("two"))
        assert (entry.stream, entry.revision) == ("a", 2)
        assert (entry.seal.by, entry.seal.at, entry.seal.id, entry.seal.state) == ("ben", AT, "c1", b"s" * 16)

    def test_append_returns_the_entry_that_read_returns(self, store: EventStore) -> None:
        entry = note(store, "a", -1, "one")
        (read_entry,) = store.read("a")
        assert (entry.revision, entry.rows, entry.seal) == (read_entry.revision, read_entry.rows, read_entry.seal)
        assert entry.events == read_entry.events

    def test_each_entry_follows_the_one_before(self, store: EventStore) -> None:
        first_entry = note(store, "a", -1, "one")
        second_entry = note(store, "a", first_entry.revision, "two")
        assert [entry.revision for entry in store.read("a")] == [1, 3]
        assert (first_entry.parent, second_entry.parent) == (b"", first_entry.digest)

    def test_a_parent_may_be_given(self, store: EventStore) -> None:
        assert commit(store, "a", -1, b"p" * 16, "one").parent == b"p" * 16

    def test_a_read_has_only_entries_of_its_stream(self, store: EventStore) -> None:
        note(store, "a", -1, "of a")
        note(store, "b", -1, "of b")
        assert [entry.events for entry in store.read("a")] == [(Noted("of a"),)]
        assert [entry.events for entry in store.read("b")] == [(Noted("of b"),)]

    def test_a_store_that_nobody_replaced_is_in_order(self, store: EventStore) -> None:
        store.check_file()
        note(store, "a", -1, "one")
        store.check_file()
        assert len(list(store.read("a"))) == 1

    def test_a_part_of_a_stream_can_be_read(self, store: EventStore) -> None:
        for revision in (-1, 1, 3, 5):
            note(store, "a", revision, f"after {revision}")
        assert [entry.revision for entry in store.read("a", after=1, until=5)] == [3, 5]
        assert [entry.revision for entry in store.read("a", after=7)] == []

    def test_an_entry_has_events_of_several_forms(self, store: EventStore) -> None:
        events = (Noted("ümlaut 𝄞"), Counted(3), Counted(2**60, ("here", "there")))
        store.append("a", -1, events, by="ann", at=AT)
        assert [entry.events for entry in store.read("a")] == [events]

    @pytest.mark.parametrize("expected_revision", [-1, 0, 2, 3, 99])
    def test_another_revision_than_the_last_is_a_conflict(self, store: EventStore, expected_revision: int) -> None:
        last_entry = note(store, "a", -1, "one")
        with pytest.raises(ConflictError) as conflict:
            note(store, "a", expected_revision, "two")
        assert len(list(store.read("a"))) == 1
        assert conflict.value.head in ("", last_entry.digest.hex())

    def test_a_conflict_says_who_was_faster(self, store: EventStore) -> None:
        faster_entry = note(store, "a", -1, "one", by="ben")
        with pytest.raises(ConflictError, match="ben has brought it to revision 1 at 2024-05-01 20:15:03") as conflict:
            note(store, "a", -1, "two")
        assert conflict.value.head == faster_entry.digest.hex()

    def test_a_stream_can_t_begin_with_a_gap(self, store: EventStore) -> None:
        with pytest.raises(ConflictError, match="the stream is shorter or longer"):
            note(store, "a", 4, "one")
        assert list(store.read("a")) == []

    @pytest.mark.parametrize("stored_texts", [("one", "more"), ("one", "more", "than before")])
    def test_rows_that_went_missing_are_damage_and_no_conflict(
        self, store: EventStore, stored_texts: tuple[str, ...]
    ) -> None:
        """A writer that loses a race reads on and retries; if rows are missing, there is nothing to read."""
        first_entry, _, third_entry = note_entries("a", "one", "two", "three")
        store.adopt([first_entry])
        note(store, "a", first_entry.revision, *stored_texts)
        digests_before = [entry.digest for entry in store.read("a")]
        store._last_rows["a"] = LastRow(note_entries("a", "one", "two")[-1].all_rows[-1])
        with pytest.raises(DamagedError, match=r"stream a is damaged at revision 3: .* the store went back"):
            note(store, "a", 3, "three")
        store._last_rows["a"] = LastRow(note_entries("a", "one", "two")[-1].all_rows[-1])
        with pytest.raises(DamagedError, match=r"stream a is damaged at revision 3: .* the store went back"):
            store.adopt([third_entry])
        assert [entry.digest for entry in store.read("a")] == digests_before

    def test_reading_on_from_a_missing_row_is_damage(self, store: EventStore) -> None:
        """A reader that has seen more than is stored would otherwise wait, and a writer try again, without end."""
        note(store, "a", -1, "one")
        for _ in range(2):  # the first try must not be remembered as the end
            with pytest.raises(DamagedError, match=r"stream a is damaged at revision 3: .* the store went back"):
                list(store.read("a", after=3))
            with pytest.raises(DamagedError, match=r"stream a is damaged at revision 3: .* the store went back"):
                list(store.read_streams({"a": 3})["a"])

    def test_a_retry_gets_the_stored_entry(self, store: EventStore) -> None:
        first_entry = note(store, "a", -1, "one", id="c1")
        note(store, "a", 1, "two", id="c2")
        retried_entry = note(store, "a", -1, "one", id="c1")
        assert retried_entry.digest == first_entry.digest
        assert [entry.seal.id for entry in store.read("a")] == ["c1", "c2"]

    @pytest.mark.parametrize("difference", [{"texts": ("two",)}, {"by": "ben"}, {"texts": ("one", "one")}, {"id": "c"}])
    def test_an_id_is_for_one_command_of_one_person(self, store: EventStore, difference: dict[str, Any]) -> None:
        """No author gets the answer of another, and the beginning of an id is no id."""
        first_entry = note(store, "a", -1, "one", id="c1")
        second_request = {"texts": ("one",), "id": "c1"} | difference
        with pytest.raises(ConflictError) as conflict:
            note(store, "a", -1, *second_request.pop("texts"), **second_request)
        assert conflict.value.head == first_entry.digest.hex()
        assert [entry.digest for entry in store.read("a")] == [first_entry.digest]

    def test_a_retry_is_recognised_by_its_request(self, store: EventStore) -> None:
        """A retried request may give other events, for example if it draws a name or a number."""
        first_entry = note(store, "a", -1, "drawn: 3", id="c1", request=b"draw")
        note(store, "a", 1, "two")
        retried_entry = note(store, "a", -1, "drawn: 5", id="c1", request=b"draw")
        assert (retried_entry.digest, retried_entry.seal.request, retried_entry.seal.proof) == (
            first_entry.digest,
            b"draw",
            b"",
        )
        for other_request in ({"request": b"deal"}, {"request": b"draw", "by": "ben"}, {}):
            with pytest.raises(ConflictError, match="the command id 'c1' is taken"):
                note(store, "a", -1, "drawn: 3", **{"id": "c1", **other_request})
        assert len(list(store.read("a"))) == 2

    def test_a_proof_is_sealed_with_its_entry(self, store: EventStore) -> None:
        signed_entry = note(store, "a", -1, "one", proof=b"signed")
        (read_entry,) = store.read("a")
        assert (read_entry.seal, read_entry.seal.proof, read_entry.all_rows) == (
            signed_entry.seal,
            b"signed",
            signed_entry.all_rows,
        )
        store._backend.insert_rows([("b", *row) for row in alter_author(signed_entry)])
        with pytest.raises(DamagedError, match="its digest does not match its bytes"):
            list(store.read("b"))

    def test_the_same_id_in_another_stream_is_another_command(self, store: EventStore) -> None:
        note(store, "a", -1, "one", id="c1")
        note(store, "b", -1, "one", id="c1")
        assert len(list(store.read("b"))) == 1

    def test_entries_without_an_id_are_never_taken_for_each_other(self, store: EventStore) -> None:
        note(store, "a", -1, "one")
        with pytest.raises(ConflictError):
            note(store, "a", -1, "one")

    def test_one_of_many_writers_wins_each_revision(self, url: str) -> None:
        with open_diary(url) as store, ThreadPoolExecutor(8) as pool:
            wins = list(pool.map(lambda writer: self._count_wins(store, f"w{writer}"), range(8)))
            entries = list(store.read("a"))
        assert sum(wins) == len(entries) == 40
        assert [entry.revision for entry in entries] == list(range(1, 80, 2))

    @staticmethod
    def _count_wins(store: EventStore, writer: str) -> int:
        wins = 0
        while (last_revision := sum(2 for _ in store.read("a")) - 1) < 79:
            try:
                note(store, "a", last_revision, writer)
                wins += 1
            except ConflictError:
                continue
        return wins

    def test_times_are_kept_in_utc(self, store: EventStore) -> None:
        summer_time = timezone(timedelta(hours=2))
        note(store, "a", -1, "one", at=AT.astimezone(summer_time))
        (entry,) = store.read("a")
        assert entry.seal.at == AT
        assert entry.seal.at.tzinfo is UTC

    def test_a_time_without_a_zone_is_a_mistake(self, store: EventStore) -> None:
        with pytest.raises(ValueError, match="time zone"):
            note(store, "a", -1, "one", at=datetime(2024, 5, 1))

    def test_an_entry_without_events_is_a_mistake(self, store: EventStore) -> None:
        with pytest.raises(ValueError, match="at least one event"):
            note(store, "a", -1)

    def test_an_unregistered_event_is_a_mistake(self, url: str) -> None:
        with EventStore.open(url) as store, pytest.raises(UnknownTopicError, match="Noted"):
            note(store, "a", -1, "one")

    def test_an_event_of_an_unknown_topic_is_damage(self, store: EventStore) -> None:
        note(store, "a", -1, "one")
        with EventStore.open("memory:") as other_store:
            other_store._backend = store._backend
            (entry,) = other_store.read("a")
            with pytest.raises(DamagedError, match=r"stream a .* revision 0: there is no event called 'diary.noted.1'"):
                _ = entry.events

    def test_a_missing_row_is_damage_and_earlier_entries_can_be_read(self, store: EventStore) -> None:
        rows = note_rows("b", "one", "two", "three", "four")
        store._backend.insert_rows([("b", *row) for row in [*rows[:3], *rows[5:]]])
        entries = store.read("b")
        assert next(entries).events == (Noted("one"),)
        with pytest.raises(DamagedError, match="stream b is damaged at revision 3: the row is missing"):
            next(entries)

    def test_an_entry_without_a_seal_is_damage(self, store: EventStore) -> None:
        _, topic, content = note_rows("b", "one")[0]
        store._backend.insert_rows([("b", revision, topic, content) for revision in (0, 1)])
        with pytest.raises(DamagedError, match="stream b is damaged at revision 1: the last entry has no seal"):
            list(store.read("b"))
        with pytest.raises(DamagedError, match="the last entry has no seal"):
            note(store, "b", 1, "three")

    def test_the_first_entry_marks_a_store_with_the_format_number(self, store: EventStore) -> None:
        assert store._backend.recorder.marks().format == 0
        note(store, "a", -1, "one")
        assert store._backend.recorder.marks().format == FORMAT
        assert store.streams() == ["a"], "a mark is no stream"

    def test_a_store_of_a_higher_number_is_neither_read_nor_written(self, store: EventStore) -> None:
        note(store, "a", -1, "one")
        raise_number(store)
        for read_or_write in (
            lambda: list(store.read("a")),
            lambda: store.read_streams({"a": -1, "b": -1}),
            lambda: note(store, "a", 1, "two"),
            lambda: store.mark_unfinished(None),
            store.create,
        ):
            with pytest.raises(NewerError) as error:
                read_or_write()
            assert error.value.what == "this store needs Zim 9.1 or newer"
            assert error.value.why.startswith(f"it is of format {FORMAT + 1}; this is Zim ")
            assert error.value.why.endswith(f", format {FORMAT}")
            assert error.value.hints == ("pip install --upgrade 'great-zim>=9.1'",)

    @pytest.mark.parametrize("least_zim", ["", "1; rm -rf ~", "9.1'"])
    def test_a_version_that_is_none_is_not_part_of_a_command(self, store: EventStore, least_zim: str) -> None:
        raise_number(store, least_zim=least_zim)
        with pytest.raises(NewerError, match=r"^this store needs a newer Zim: ") as error:
            list(store.read("a"))
        assert error.value.hints == ("pip install --upgrade great-zim",)

    def test_an_altered_number_does_not_count(self, store: EventStore) -> None:
        note(store, "a", -1, "one")
        plant_mark(store, (FORMAT_MARK, FORMAT + 1, format_row(FORMAT + 2)[2]))
        assert len(list(store.read("a"))) == 1

    def test_unfinished_work_is_marked_until_it_ends(self, store: EventStore) -> None:
        note(store, "a", -1, "one")
        assert store.unfinished() is None
        store.mark_unfinished(Unfinished("import", "games.jsonl"))
        assert store.unfinished() == Unfinished("import", "games.jsonl")
        note(store, "a", 1, "two")
        store.mark_unfinished(None)
        assert store.unfinished() is None

    def test_all_errors_of_a_store_say_what_and_why(self, store: EventStore) -> None:
        store._backend.insert_rows([("b", 0, "diary.noted.1", b""), ("b", 3, "diary.noted.1", b"")])
        with pytest.raises(DamagedError) as error:
            list(store.read("b"))
        assert isinstance(error.value, StoreError)
        assert (error.value.what, error.value.why) == ("stream b is damaged at revision 1", "the row is missing")

    def test_a_store_sees_its_own_removals(self, store: EventStore) -> None:
        """Also what it has read before, where it remembers the end of each stream."""
        catalogue_end = note(store, "catalogue", -1, "game a").revision
        game_end = note(store, "a", -1, "one").revision
        assert list(store.read("catalogue", catalogue_end)) == list(store.read("a", game_end)) == []
        removal_entry = store.seal_entry("catalogue", catalogue_end, Draft([Noted("removed a")], "ann", AT))
        if not store.can_remove:
            with pytest.raises(NotImplementedError):
                store.remove_streams(["a"], removal_entry)
            return
        store.remove_streams(["a"], removal_entry)
        assert [entry.events for entry in store.read("catalogue", catalogue_end)] == [(Noted("removed a"),)]
        assert list(store.read("a")) == list(store.read("a", game_end)) == []
        assert note(store, "a", -1, "one again").revision == 1
        assert [entry.events for entry in store.read("a")] == [(Noted("one again"),)]

    def test_a_removal_that_another_writer_overtook_removes_nothing(self, store: EventStore) -> None:
        catalogue_end = note(store, "catalogue", -1, "game a").revision
        note(store, "a", -1, "one")
        removal_entry = store.seal_entry("catalogue", catalogue_end, Draft([Noted("removed a")], "ann", AT))
        note(store, "catalogue", catalogue_end, "game b")
        if store.can_remove:
            with pytest.raises(ConflictError, match="stream catalogue is not at revision 1"):
                store.remove_streams(["a"], removal_entry)
        assert [entry.events for entry in store.read("a")] == [(Noted("one"),)]


class DurableContract(StoreContract):
    """What backends must do that outlive their process."""

    def test_appended_events_survive_closing_the_store(self, url: str) -> None:
        with open_diary(url) as store:
            note(store, "a", -1, "one")
        with open_diary(url) as store:
            assert [entry.events for entry in store.read("a")] == [(Noted("one"),)]
            note(store, "a", 1, "two")
        with open_diary(url) as store:
            assert [entry.revision for entry in store.read("a")] == [1, 3]

    def test_stores_that_share_a_database_are_in_order(self, url: str) -> None:
        with open_diary(url) as first_diary:
            for revision in (-1, 1, 3):
                note(first_diary, "a", revision, "one")
                with open_diary(url) as second_diary:
                    note(second_diary, f"b{revision}", -1, "two")
                    first_diary.check_file()
                    second_diary.check_file()
            first_diary.check_file()

    def test_two_stores_see_each_other(self, url: str) -> None:
        with open_diary(url) as first_diary, open_diary(url) as second_diary:
            note(first_diary, "a", -1, "one")
            assert len(list(second_diary.read("a"))) == 1
            note(second_diary, "a", 1, "two")
            with pytest.raises(ConflictError):
                note(first_diary, "a", 1, "three")

    def test_a_store_that_is_upgraded_while_it_is_open_is_left_alone(self, url: str) -> None:
        with open_diary(url) as running_diary, open_diary(url) as newer_diary:
            note(running_diary, "a", -1, "one")
            digests = [entry.digest for entry in newer_diary.read("a")]
            raise_number(newer_diary)
            for read_or_write in (
                lambda: note(running_diary, "a", 1, "two"),  # without a read before it
                lambda: list(running_diary.read("a")),
                lambda: running_diary.read_streams({"a": 1, "b": -1}),
                lambda: running_diary.read_streams({"a": 1, "b": -1}),
                running_diary.streams,
                lambda: list(running_diary.all_entries()),
            ):
                with pytest.raises(NewerError, match=r"needs Zim 9\.1 or newer"):
                    read_or_write()
            plant_mark(newer_diary, (FORMAT_MARK, FORMAT + 1, b""))
            assert [entry.digest for entry in running_diary.read("a")] == digests

    def test_reading_an_older_store_writes_nothing(self, url: str) -> None:
        """Its first new entry marks it, and changes no byte of the entries before."""
        with open_diary(url) as older_diary:
            first_entry = note(older_diary, "a", -1, "one")
            plant_mark(older_diary, (FORMAT_MARK, FORMAT, b""))
        with open_diary(url) as diary:
            assert [entry.digest for entry in diary.read("a")] == [first_entry.digest]
            diary.store_projections([("a", 1, first_entry.digest, b"a summary")])
            assert (diary._backend.recorder.marks().format, diary.projections(["a"])) == (0, {})
            rows_before = list(diary.rows())
            note(diary, "a", 1, "two")
            assert diary._backend.recorder.marks().format == FORMAT
            assert list(diary.rows())[: len(rows_before)] == rows_before

    def test_an_upgrade_marks_an_older_store(self, url: str) -> None:
        with open_diary(url) as diary:
            note(diary, "a", -1, "one")
            plant_mark(diary, (FORMAT_MARK, FORMAT, b""))
        with open_diary(url) as diary:
            for _ in range(2):
                diary.raise_format()
                assert diary._backend.recorder.marks().format == FORMAT

    def test_reading_on_misses_no_entry_of_another_store(self, url: str) -> None:
        rng, end_revisions = Random(7), {"a": -1, "b": -1}
        with open_diary(url) as first_diary, open_diary(url) as second_diary:
            read_revisions = {store: dict(end_revisions) for store in (first_diary, second_diary)}
            for _ in range(150):
                store, stream = rng.choice([first_diary, second_diary]), rng.choice([*end_revisions])
                if rng.random() < 0.3:
                    end_revisions[stream] = note(store, stream, end_revisions[stream], "more").revision
                for reader in rng.sample([first_diary, second_diary], rng.randint(0, 2)):
                    revisions = read_revisions[reader]
                    reads_several = rng.random() < 0.5
                    new_entries = (
                        reader.read_streams(revisions)
                        if reads_several
                        else {stream: reader.read(stream, revisions[stream])}
                    )
                    for read_stream, entries in new_entries.items():
                        revisions[read_stream] = max([revisions[read_stream], *(entry.revision for entry in entries)])
                        assert revisions[read_stream] == end_revisions[read_stream]

    def test_an_entry_stored_without_an_answer_is_read(
        self, store: EventStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        end_revision = note(store, "a", -1, "one").revision
        assert list(store.read("a", end_revision)) == []
        original_insert = store._backend.insert_rows

        def insert_without_answer(*rows: Any) -> bool:
            original_insert(*rows)
            raise StoreError("the answer was lost")

        monkeypatch.setattr(store._backend, "insert_rows", insert_without_answer)
        with pytest.raises(StoreError):
            note(store, "a", end_revision, "two")
        assert [entry.events for entry in store.read("a", end_revision)] == [(Noted("two"),)]

    def test_a_retry_through_another_store_gets_the_stored_entry(self, url: str) -> None:
        with open_diary(url) as first_diary, open_diary(url) as second_diary:
            first_entry = note(first_diary, "a", -1, "one", id="c1")
            assert note(second_diary, "a", -1, "one", id="c1").digest == first_entry.digest

    def test_a_projection_is_of_one_entry_and_not_of_the_next(self, store: EventStore) -> None:
        first_entry = store.append("a", -1, [Noted("one")], by="ann", at=AT, projection=b"of one")
        (projection,) = store.projections(["a", "b"]).values()
        assert (projection.revision, projection.digest, projection.content, projection.is_behind) == (
            1,
            first_entry.digest,
            b"of one",
            False,
        )
        second_entry = note(store, "a", 1, "two")
        assert store.projections(["a"]) == {}
        store.store_projections([("a", 3, second_entry.digest, b"of two")])
        store.store_projections([("a", 1, first_entry.digest, b"late")])
        assert store.projections(["a"])["a"].content == b"of two"
        assert not store.projections(["a"])["a"].is_behind

    def test_an_index_of_the_root_stream_finds_entries_by_what_they_are_about(self, url: str) -> None:
        def texts_in(entry: Entry) -> list[str]:
            return [event.text for event in entry.events if isinstance(event, Noted)]

        def texts_about(store: EventStore, text: str) -> list[list[str]]:
            return [texts_in(entry) for entry in store.entries_about(text)]

        with open_diary(url) as store, open_diary(url) as older_program:
            older_program.root_stream = store.root_stream = "a"
            store.index_keys = texts_in
            note(store, "a", -1, "one", "two")
            note(store, "a", 2, "three")
            store.append("a", 4, [Counted(7)], by="ann", at=AT)
            note(store, "a", 6, "two")
            note(store, "b", -1, "two")
            assert [texts_about(store, text) for text in ("one", "two", "four")] == [
                [["one", "two"]],
                [["one", "two"], ["two"]],
                [],
            ]
            assert store.is_indexed
            assert store.wrong_index_keys([*store.read("a")]) == []

            note(older_program, "a", 8, "one")
            assert not store.is_indexed
            note(store, "a", 10, "five")
            assert (store.entries_about("one"), store.entries_about("five")) == ([], [])
            store.index_root([*store.read("a")])
            assert (texts_about(store, "one"), texts_about(store, "five")) == ([["one", "two"], ["one"]], [["five"]])

            plant_mark(store, pack_projection(" a/one", 12, b"", encode(((0, 2),))))
            assert store.wrong_index_keys([*store.read("a")]) == ["one"]
            plant_mark(store, pack_projection(" a/one", 12, b"", encode(((0, 3),))))
            assert store.entries_about("one") == []

    def test_a_projection_of_another_history_is_not_returned(self, store: EventStore) -> None:
        note(store, "a", -1, "one")
        store.store_projections([("a", 1, b"d" * 16, b"of another"), ("b", 1, b"d" * 16, b"of nothing")])
        assert store.projections(["a", "b"]) == {}

    def test_a_conflicting_append_leaves_no_projection(self, store: EventStore) -> None:
        note(store, "a", -1, "one")
        with pytest.raises(ConflictError):
            store.append("a", -1, [Noted("late")], by="ann", at=AT, projection=b"late")
        assert store.projections(["a"]) == {}
