"""What Zim writes, Zim reads: each format that it writes, with odd clocks, names and sizes, by today's reader.

`FORMATS` has one row a format: what to write, and how it is written and read. A module that writes files and is in no
row fails the last test.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import count, cycle
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from event_store import EventStore
from tests.cli.commands import run_command
from tests.service.nim_service import NIM_ONLY
from zimcli.keys import known_keys
from zimcli.output.rows import SEPARATORS, cell_text, join_cells
from zimcli.settings import settings as config_settings
from zimcli.settings.config import Config, load_config
from zimcli.study import practice, style_files, table_files
from zimcore.analysis import json_lines
from zimcore.analysis.table_rows import TABLES
from zimcore.bots.learning import Sample
from zimcore.documents.copies import BoundSeat
from zimcore.documents.storage import KnownKey
from zimcore.game import GameError
from zimcore.games.registry import game as game_of
from zimcore.history.disputed_readings import reading_options
from zimcore.remote import client_files
from zimcore.remote.client_files import Credential, Keyring, Memory, SeenHead
from zimcore.service import GameService
from zimcore.service.care import maintenance
from zimcore.service.lines.visibility import EVERYTHING
from zimcore.service.proofs import certificates, signatures, witness, witness_log
from zimcore.service.records import ed25519
from zimcore.service.records.memberships import house_rules_text
from zimcore.service.records.person_names import PERSON_NAME_PATTERN
from zimcore.service.records.public_keys import is_weak
from zimcore.toolkit.learned import LearnedModel
from zimcore.transcripts.log_styles import LogStyle
from zimcore.transcripts.records import LogLine
from zimcore.transcripts.style_questions import StyleQuestion

ODD_TIMES = [
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2026, 1, 1, 12, 0, 0, 1, tzinfo=UTC),
    datetime(2025, 12, 31, tzinfo=UTC),
]
ODD_NAMES = ["anna", "José", "Jose\u0301", "O'Hara", "z\u1e9e\u00df", "\u738b", "a.b-c_d@e+f", "1 2", "x" * 64]
TIMES = st.lists(st.sampled_from(ODD_TIMES) | st.datetimes(timezones=st.just(UTC)), min_size=1, max_size=4)
"""Clocks that jump: each tells these times, over and over."""
PERSONS = st.sampled_from(ODD_NAMES) | st.from_regex(PERSON_NAME_PATTERN, fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", "=1+1", "-x", "'", '"', "\\", "#", "a = b", "[x]", "\x7f\x1b[2J", "\u2028", "\ufeffa", "İ", "ΑΣ", "a\nb", "\t"]
)
WORDS = TEXTS.map(lambda text: re.sub(r"[\r\n]", " ", text).lower())
KEYS = st.binary(min_size=32, max_size=32).filter(lambda key: not is_weak(key)).map(bytes.hex)
HEX = st.binary(max_size=4).map(bytes.hex)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


class Format(NamedTuple):
    """A format: `modules` write it; `write_and_read` gets a value and an empty folder, and returns what was read."""

    modules: str
    values: st.SearchStrategy[Any]
    write_and_read: Callable[[Any, Path], object]


def known_keys_again(keys: list[KnownKey], _: Path) -> object:
    known_keys._write_keys(keys)
    return known_keys.load_known_keys()


def style_again(value: tuple[LogStyle, list[StyleQuestion]], _: Path) -> object:
    style, questions = value
    return style_files.read_style("style.toml", style_files.write_style(style, questions)), questions


def setting_again(change: tuple[str, str], folder: Path) -> object:
    """A change that is refused leaves the file as it was."""
    key, value = change
    file = folder / "config.toml"
    config_settings.change_setting(file, "bell", "off")
    try:
        for _ in range(2):
            config_settings.change_setting(file, key, value)
    except GameError:
        assert load_config(file) == Config(bell=False)
        return change
    section, _, name = key.rpartition(".")
    config = msgspec.to_builtins(load_config(file))
    return key, (config[section] if section else config)[name]


def progress_again(progress: dict[str, practice.Progress], _: Path) -> object:
    practice.practice_file().unlink(missing_ok=True)
    for key, each in progress.items():
        practice.save_progress(key, each)
    return practice.load_progress()


def client_file_again(value: Keyring | Memory, folder: Path) -> object:
    client_files.update_file(folder / "file.json", type(value), lambda _: value)
    return client_files.read_file(folder / "file.json", type(value))


def copies_again(rows: list[str], folder: Path) -> object:
    path = folder / "copies.jsonl"
    for row in rows:
        client_files.append_row(path, msgspec.json.encode(row))
    return [msgspec.json.decode(row) for row in client_files.complete_rows(path)]


def cache_again(records: list[SeenHead], folder: Path) -> object:
    for record in records:
        json_lines.append_record(folder / "cache" / "file.jsonl", record)
    return list(json_lines.read_records(folder / "cache" / "file.jsonl", SeenHead))


def samples_again(samples: list[Sample], _: Path) -> object:
    """As `play_games` writes a line for each game, and reads the lines."""
    lines = "".join(msgspec.json.encode([sample]).decode() + "\n" for sample in samples).split("\n")[:-1]
    return [msgspec.json.decode(line, type=list[Sample])[0] for line in lines]


def model_again(model: LearnedModel, _: Path) -> object:
    file_bytes = msgspec.json.format(msgspec.json.encode(model)) + b"\n"
    return msgspec.json.decode(file_bytes, type=LearnedModel)


def private_key_again(value: tuple[bytes, str], _: Path) -> object:
    seed, passphrase = value
    key = ed25519.key_from_bytes(seed.hex().encode())
    again = ed25519.key_from_bytes(ed25519.key_to_bytes(key, passphrase), passphrase)
    return again.private_bytes_raw(), passphrase


def rows_again(value: tuple[str, list[list[str]]], _: Path) -> object:
    """A text that a spreadsheet would run comes back with the `'` before it."""
    separator, rows = value
    text = "".join(join_cells(row, separator) + "\n" for row in rows)
    read_rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    return separator, [
        [cell.removeprefix("'") if cell != sent else cell for cell, sent in zip(*pair, strict=True)]
        for pair in zip(read_rows, rows, strict=True)
    ]


def table_again(rows: list[Any], _: Path, *, parquet: bool) -> object:
    if not rows:
        return rows
    row_type, file = type(rows[0]), io.BytesIO()
    with (table_files.parquet_file() if parquet else table_files.csv_file)(file, row_type) as write:
        for row in rows:
            write(msgspec.structs.astuple(row))
    file.seek(0)
    if parquet:
        from pyarrow import parquet as library

        return [row_type(**row) for row in library.read_table(file).to_pylist()]
    header, *texts = csv.reader(io.TextIOWrapper(file, "utf-8", newline=""))
    values = [
        {
            name: None if text == "" and kind is not str else text
            for name, text, kind in zip(header, row, table_files.column_types(row_type).values(), strict=True)
        }
        for row in texts
    ]
    sent = [{name: getattr(row, name) for name in header} for row in rows]
    for read_row, row in zip(values, sent, strict=True):
        for name, text in row.items():
            if isinstance(text, str) and read_row[name] == f"'{text}":
                read_row[name] = text
    return [msgspec.convert(row, row_type, strict=False) for row in values]


def house_rules_again(rules: dict[str, str], _: Path) -> object:
    return dict(pair.split("=") for pair in house_rules_text(rules).split())


ROWS = st.sampled_from(list(TABLES.values())).flatmap(
    lambda row_type: st.lists(
        st.builds(
            row_type,
            **{
                name: {
                    str: TEXTS.map(table_files.escape),
                    int: st.integers(-(2**62), 2**62),
                    float: FLOATS,
                    bool: st.booleans(),
                    datetime: st.sampled_from(ODD_TIMES),
                }[kind]
                for name, kind in table_files.column_types(row_type).items()
            },
        ),
        max_size=3,
    )
)

FORMATS: dict[str, Format] = {
    "known keys": Format(
        "zimcli.keys.known_keys",
        st.lists(
            st.builds(
                KnownKey,
                PERSONS,
                KEYS,
                st.sampled_from(["trusted", "revoked"]),
                st.sampled_from(["1970-01-01", "9999-12-31", "2026-02-28"]),
            ),
            max_size=3,
        ),
        known_keys_again,
    ),
    "style": Format(
        "zimcli.commands.audit",
        st.tuples(
            st.builds(
                LogStyle,
                st.dictionaries(WORDS, WORDS, max_size=3),
                st.dictionaries(WORDS, WORDS, max_size=3),
                st.dictionaries(WORDS, st.sampled_from(["", "move", "seat"]), max_size=2),
            ),
            st.lists(
                st.builds(
                    StyleQuestion,
                    st.sampled_from(["seats", "words", "columns"]),
                    WORDS,
                    st.builds(LogLine, st.just(3), TEXTS.map(lambda text: " ".join(text.splitlines()))),
                    WORDS,
                    st.just(()),
                ),
                max_size=2,
            ),
        ),
        style_again,
    ),
    "settings": Format(
        "zimcli.settings.settings zimcli.commands.itself",
        st.tuples(
            st.sampled_from(["key", "hooks.on_move", "table.help", "aliases.mine", "aliases.a b", "theme"]),
            TEXTS | TEXTS.map(lambda text: f"show {text}") | st.sampled_from(["dark", "show 'a b' # = \"x\"", "f1"]),
        ),
        setting_again,
    ),
    "practice": Format(
        "zimcli.study.practice",
        st.dictionaries(
            HEX,
            st.builds(
                practice.next_progress,
                st.builds(practice.Progress, st.integers(0, 2**40), st.dates()),
                st.sampled_from([0, 1, 2]),
                st.dates() | st.sampled_from([date.max, date(1970, 1, 1)]),
            ),
            max_size=3,
        ),
        progress_again,
    ),
    "credentials": Format(
        "zimcore.remote.client_files",
        st.builds(
            Keyring,
            st.lists(
                st.builds(Credential, TEXTS, TEXTS, TEXTS, st.sampled_from(["seat", "host"]), TEXTS, PERSONS, KEYS),
                max_size=3,
            ).map(tuple),
            st.dictionaries(HEX, TEXTS, max_size=2),
        ),
        client_file_again,
    ),
    "memory of a server": Format(
        "zimcore.remote.client_files",
        st.builds(
            Memory,
            st.dictionaries(TEXTS, st.builds(SeenHead, st.integers(-1, 2**40), HEX, TEXTS), max_size=3),
            st.dictionaries(TEXTS, st.dictionaries(PERSONS, st.dictionaries(TEXTS, TEXTS, max_size=1)), max_size=2),
            st.dictionaries(
                TEXTS,
                st.lists(
                    st.builds(BoundSeat, TEXTS, KEYS, st.dictionaries(TEXTS, st.integers(0, 9), max_size=1)), max_size=2
                ).map(tuple),
                max_size=2,
            ),
        ),
        client_file_again,
    ),
    "copies of lines": Format("zimcore.remote.client_files", st.lists(TEXTS, max_size=3), copies_again),
    "analysis": Format(
        "zimcore.analysis.json_lines",
        st.lists(st.builds(SeenHead, st.integers(), TEXTS, TEXTS), max_size=3),
        cache_again,
    ),
    "games to learn from": Format(
        "zimcore.bots.learning",
        st.lists(
            st.builds(
                Sample,
                st.lists(st.dictionaries(TEXTS, FLOATS, max_size=2), max_size=2).map(tuple),
                st.lists(FLOATS, max_size=2).map(tuple),
            ),
            max_size=3,
        ),
        samples_again,
    ),
    "learned model": Format(
        "zimcore.bots.learning",
        st.builds(
            LearnedModel,
            TEXTS,
            TEXTS,
            st.lists(TEXTS, max_size=2).map(tuple),
            st.lists(FLOATS, max_size=2).map(tuple),
            st.integers(0, 9),
            TEXTS,
        ),
        model_again,
    ),
    "private key": Format(
        "zimcli.keys.signing_keys",
        st.tuples(st.binary(min_size=32, max_size=32), TEXTS.map(lambda text: text.replace("\0", ""))),
        private_key_again,
    ),
    "rows of an answer": Format(
        "zimcli.output.output",
        st.tuples(
            st.sampled_from([*SEPARATORS.values()]),
            st.lists(st.tuples(TEXTS, TEXTS).map(lambda texts: [*map(cell_text, texts)]), max_size=3),
        ),
        rows_again,
    ),
    "tables, CSV": Format(
        "zimcli.study.table_files", ROWS, lambda rows, folder: table_again(rows, folder, parquet=False)
    ),
    "tables, Parquet": Format(
        "zimcli.study.table_files", ROWS, lambda rows, folder: table_again(rows, folder, parquet=True)
    ),
    "agreed house rules": Format(
        "zimcore.service.records.memberships",
        st.sampled_from(["zimbabwe", "africana"]).flatmap(
            lambda kind: st.sets(st.sampled_from(sorted(reading_options(game_of(kind)).items()))).map(dict)
        ),
        house_rules_again,
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_written_is_read(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("written")

    @settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
    @given(FORMATS[name].values)
    def check(value: object) -> None:
        for file in folder.rglob("*"):
            if file.is_file():
                file.unlink()
        assert FORMATS[name].write_and_read(value, folder) == value

    with pytest.MonkeyPatch.context() as patch:
        for kind in ("DATA", "CONFIG", "CACHE", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(folder / "home"))
        check()


# Formats of a whole store.


class Story(NamedTuple):
    """What happens in a store: who plays in each of its games, what they say, and what its clock says."""

    players: list[list[str]]
    times: list[datetime]
    text: str


STORIES = st.builds(Story, st.lists(st.lists(PERSONS, max_size=3), max_size=3), TIMES, TEXTS)


def tell(story: Story, url: str) -> GameService:
    """A store in which the story has happened."""
    service = GameService(EventStore.open(url), cycle(story.times).__next__, games=NIM_ONLY)
    for number, players in enumerate(story.players):
        service.new("nim", {"seed": "7"}, name=f"g{number}", by=(players or ["anna"])[0])
        for player in players:
            service.play_or_raise(f"g{number}/main", "take 1", by=player)
            with suppress(GameError):  # a text that can't be said
                service.say(f"g{number}", story.text, by=player)
        for player in players[:1]:
            service.fork(f"g{number}/main@0", "z\u1e9e", by=player)
            service.undo(f"g{number}/main", by=player)
            service.tag(f"g{number}/main@0", "opening", by=player)
    return service


def heads_of(service: GameService) -> object:
    """All that a store has, by digests."""
    assert not [audit.fault for audit in service.verify_all() if audit.fault]
    return service.witness().heads


def store_at(url: str) -> GameService:
    return GameService(EventStore.open(url), games=NIM_ONLY)


def certificates_again(service: GameService, _: Path) -> object:
    copy = store_at("memory:")
    for place in (f"{game}/{line}" for game in service.game_names() for line in service.line_names(game)):
        certificate = signatures.sign_certificate(service.certificate(place), ed25519.new_key(), "z\u1e9e", "ann")
        again = certificates.read_certificate(certificates.to_bytes(certificate))
        assert again == certificate
        assert certificates.verify_certificate(again, NIM_ONLY).fault is None
        assert signatures.is_valid_signature(again, again.signatures[0])
        assert copy.loss(copy.adopt(again, by="anna").place, again) is None
    heads_of(copy)
    return heads_of(service)


def export_again(service: GameService, folder: Path) -> object:
    copy = store_at("memory:")
    copy.import_(service.export(EVERYTHING), by="anna")
    return heads_of(copy)


def witness_again(service: GameService, _: Path) -> object:
    signed_witness = signatures.sign_witness(service.witness(), ed25519.new_key(), "z\u1e9e")
    again = witness.read_witness(witness.lines_of(signed_witness))
    assert (again, service.losses(again)) == (signed_witness, [])
    return again.heads


def witness_log_again(service: GameService, _: Path) -> object:
    """A record after each of three changes."""
    records = list[witness_log.Record]()
    for number in range(3):
        service.new("nim", {"seed": "7"}, name=f"late{number}", by="anna")
        if record := witness_log.next_record(records, service.witness()):
            records.append(signatures.sign_record(record, ed25519.new_key(), "z\u1e9e"))
        assert witness_log.read_records(map(witness_log.encode_record, records)) == records
    assert (len(records), service.log_losses(records)) == (3, [])
    last_heads = {head.stream: head for record in records for head in record.heads}
    return tuple(last_heads[head.stream] for head in service.witness().heads)


def backup_again(service: GameService, folder: Path) -> object:
    maintenance.backup(service.store, folder / "backup.db")
    with store_at(f"sqlite:///{folder}/backup.db").store as store:
        return heads_of(GameService(store, games=NIM_ONLY))


def salvage_again(service: GameService, folder: Path) -> object:
    maintenance.save_intact_streams(service.store, f"sqlite:///{folder}/saved.db")
    with store_at(f"sqlite:///{folder}/saved.db").store as store:
        return heads_of(GameService(store, games=NIM_ONLY))


STORE_FORMATS: dict[str, tuple[str, Callable[[GameService, Path], object]]] = {
    "certificates": ("zimcli.commands.export zimcli.commands.signing", certificates_again),
    "export": ("zimcli.commands.export", export_again),
    "witness": ("zimcli.commands.signing", witness_again),
    "log of witnesses": ("zimcli.commands.signing", witness_log_again),
    "backup": ("event_store.backup", backup_again),
    "salvage": ("event_store.backup", salvage_again),
}


@pytest.mark.parametrize("name", STORE_FORMATS)
def test_what_is_written_of_a_store_is_read(name: str, tmp_path: Path) -> None:
    numbers = count()

    @settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
    @given(STORIES)
    @example(Story([], ODD_TIMES, ""))
    @example(Story([ODD_NAMES[:4], ODD_NAMES[4:]], ODD_TIMES, "\u202ea\x7f"))
    def check(story: Story) -> None:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        with (service := tell(story, f"sqlite:///{folder}/games.db")).store:
            assert STORE_FORMATS[name][1](service, folder) == heads_of(service)

    check()


# Logs, which are written for people, and read again by `audit`.

LOG_WRITER = "zimcli.commands.audit"
LOGS = {
    "text": ["log", "k"],
    "CSV": ["log", "k", "--format", "csv"],
    "TSV": ["log", "k", "--format", "tsv"],
    "lines of JSON": ["log", "k", "--format", "jsonl"],
    "JSON": ["log", "k", "--json"],
    "JSON with events": ["log", "k", "--json", "--open"],
}
GAMES = {
    "zimbabwe": (["new", "k", "players=kilwa:José,zulu:O'Hara", "seed=7"], [*LOGS]),
    "africana": (["new", "k", "--game", "africana", "players=2", "seed=7"], ["JSON with events"]),
}
"""How a game begins, and the logs that say how it began: with hidden cards, only that for the owner of the store."""


@pytest.mark.parametrize("kind", GAMES)
def test_a_log_is_read_as_it_was_written(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {"ZIM_STORE": "sqlite:///games.db", "ZIM_BY": "z\u1e9e", "HOME": str(tmp_path)}

    def zim(*words: str) -> str:
        result = run_command(*words, environment=environment)
        assert result.returncode == 0, (words, result.stdout, result.stderr)
        return result.stdout

    new_words, log_names = GAMES[kind]
    zim(*new_words)
    for _ in range(5):
        zim("bot", "k", "random")
    moves = [commit["text"] for commit in msgspec.json.decode(zim(*LOGS["JSON with events"]))["commits"]][1:]
    for name in log_names:
        Path("k.log").write_text(zim(*LOGS[name]), "utf-8")
        answer = zim("--json", "audit", "k.log", "--game", kind, "--into", "k.zim", "--force")
        audit = msgspec.json.decode(answer)["logs"][0]
        assert [move for line in audit["lines"] for move in line["played"]] == moves, name
        start = [] if kind == "zimbabwe" else ["--from", "k@0", "--open"]  # a deal with hidden cards can't be typed
        zim("audit", "k.zim", *start)


WRITERS = re.compile(r"write_file\(|open_output\(|new_file\(|write_bytes\(|write_text\(|os\.replace\(|open\(\"[wa]b?\"")
"""How a module writes a file."""
NOT_READ = {
    "event_store.outputs": "it writes for others",
    "zimcli.session.output_files": "it writes for commands",
    "zimcli.commands.learn": "a learned model, which zimcore.bots.learning reads again",
    "zimcore.server.news.web_push": "a key, which tests/server/test_web_push.py reads again",
    "zimcli.commands.analyse": "a picture",
    "zimcli.commands.board": "pictures",
    "zimcli.commands.replay": "a page for a browser",
    "zimcli.commands.new_game": "a package of the user's own, which tests/cli/test_new_game.py runs",
}
"""Modules whose files Zim never reads, each with what they are."""


def test_every_module_that_writes_files_has_a_format() -> None:
    folder = Path(__file__).parent.parent
    writing_modules = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for room in ("event_store", "zimcore", "zimcli")
        for path in (folder / room).rglob("*.py")
        if WRITERS.search(path.read_text("utf-8"))
    }
    rows = [each.modules for each in FORMATS.values()] + [modules for modules, _ in STORE_FORMATS.values()]
    covered_modules = {module for modules in (*rows, LOG_WRITER) for module in modules.split()}
    assert writing_modules - covered_modules - NOT_READ.keys() == set(), "say here how what it writes is read"
