"""The checks of `zim doctor` for a store: its file or database, its content, its last backup."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from event_store import EventStoreError, StoreError
from event_store.backends import without_password
from event_store.chain import is_seal
from event_store.export import import_lines
from zimcore.documents.health import DoctorAnswer
from zimcore.game import GameError
from zimcore.service import GameService, open_service
from zimcore.service.health.health_checks import Check, Findings, make_finding, run_checks
from zimcore.service.proofs.witness import DELETED, Witness
from zimcore.service.records.discussion import DISCUSSION_KIND
from zimcore.service.records.names import CATALOGUE, LEAGUE_KIND
from zimcore.toolkit.words import are, numbered

MAX_CLOCK_LEAD = timedelta(minutes=1)
"""How far an entry's time may lie in the future."""
MAX_BACKUP_LAG = timedelta(days=7)
"""How old a move may be that no backup has."""
OWN_KINDS = ("store", "names", DISCUSSION_KIND, LEAGUE_KIND)
"""The kinds of events that belong to no game."""
COMPARE_SECONDS = 300.0
"""Seconds that comparing a backup may take: all of it is read."""


def examine_store(url: str, backup: str = "", process_count: int = 0, direct_url: str = "") -> DoctorAnswer:
    """Examines a store. `backup` names the file of its last backup.

    `process_count` is the number of `zim serve` processes on it; their signals go to `direct_url` if there is a pool.
    """
    kind = url.partition(":")[0]
    if kind == "memory":
        why = "it ends with this program, so there is nothing to examine"
        return DoctorAnswer(url, (), (make_finding("open", "remark", "the store is in memory", why, "help doctor"),))
    checks = [
        *(_checks_of_file(url) if kind == "sqlite" else _checks_of_database(url, process_count, direct_url)),
        Check("version", lambda: check_version(url)),
        Check("seals", lambda: check_seals(url)),
        Check("clock", lambda: check_clock(url)),
        Check("backup", lambda: check_backup(url, backup), max_seconds=COMPARE_SECONDS),
    ]
    return DoctorAnswer(without_password(url), tuple(each.name for each in checks), tuple(run_checks(checks)))


def _checks_of_file(url: str) -> Sequence[Check]:
    from event_store.backends import sqlite_health
    from zimcore.service.health import file_health

    path, is_read_only = sqlite_health.path_and_mode(url)
    # Read before anything opens the store: whoever closes it last empties its log.
    read_facts = cache(lambda: sqlite_health.read_file_facts(path))

    def check_file() -> Findings:
        if not Path(path).exists():
            why = "nothing is kept there yet, or the name is mistyped"
            hints = ("new", "zim --store sqlite:///PATH doctor")
            return [make_finding("file", "problem", f"there is no store {url}", why, *hints)]
        return file_health.judge_log(read_facts())

    def check_journal() -> Findings:
        file_facts = read_facts()
        if is_read_only:
            return [make_finding("journal", "unchecked", "writing was not checked", "the URL says mode=ro")]
        return file_health.judge_journal(file_facts, sqlite_health.read_journal_facts(path))

    return [
        Check("file", check_file, is_required=True),
        Check("rights", lambda: file_health.judge_rights(read_facts(), lambda: _is_served(url))),
        Check("disk", lambda: file_health.judge_disk(read_facts())),
        Check("journal", check_journal),
        Check("open", lambda: check_open(url), is_required=True),
        Check("objects", lambda: file_health.judge_objects(url, sqlite_health.read_foreign_objects(url))),
    ]


def _checks_of_database(url: str, process_count: int, direct_url: str) -> Sequence[Check]:
    if not url.startswith("postgres"):
        return [Check("open", lambda: check_open(url), is_required=True)]  # its error says what stores there are
    try:
        from event_store.backends import postgres_health
        from event_store.backends.signals import check_direct_url
    except ImportError:
        return [Check("open", lambda: check_open(url), is_required=True)]  # its error says what to install
    from zimcore.service.health import database_health

    read_facts = cache(lambda: postgres_health.read_server_facts(url))

    def hears_signals() -> bool:
        if direct_url:
            check_direct_url(url, direct_url)
        return postgres_health.hears_signals(direct_url or url)

    return [
        Check("server", lambda: _check_read(read_facts), is_required=True),
        Check("role", lambda: database_health.judge_role(read_facts())),
        Check("settings", lambda: database_health.judge_settings(read_facts())),
        Check("connections", lambda: database_health.judge_connections(read_facts(), process_count)),
        Check(
            "signals", lambda: database_health.judge_signals(read_facts().is_pooled and not direct_url, hears_signals)
        ),
        Check("open", lambda: check_open(url), is_required=True),
    ]


def _check_read(read: Callable[[], object]) -> Findings:
    """Reads facts for the checks that follow."""
    read()
    return ()


@contextmanager
def _open_service(url: str) -> Iterator[GameService]:
    with (service := open_service(url)).store:
        service.store.keeps_projections = False
        yield service


def _is_served(url: str) -> bool:
    """Whether the store has accounts of a server. A store that can't be read counts as served."""
    try:
        with _open_service(url) as service:
            return bool(service.accounts().grants)
    except EventStoreError:
        return True


def check_open(url: str) -> Findings:
    """Checks that the list of games can be read."""
    with _open_service(url) as service:
        service.game_names()
        faults = service.damaged_names()
    if faults:
        why = "games can be missing from the list" + (
            f"; {numbered(len(faults) - 1, 'more damaged entry')}" * bool(faults[1:])
        )
        yield make_finding("open", "problem", faults[0], why, "db check", "db salvage sqlite:///saved.db")


def check_version(url: str) -> Findings:
    """Checks that this version of Zim knows all events of the store."""
    if url.startswith("sqlite:"):
        from event_store.backends import sqlite_health

        topics = sqlite_health.read_topics(sqlite_health.path_and_mode(url)[0])
    elif url.startswith("postgres"):
        from event_store.backends import postgres_health

        topics = postgres_health.read_topics(url)
    else:
        return
    with _open_service(url) as service:
        for kind in {topic.partition(".")[0] for topic in topics}.intersection(service.kinds):
            service.game_of(kind)  # its events are known once it is loaded
        is_known_topic = service.store.codec.knows
        unknown_topics = sorted(topic for topic in topics if not (is_seal((0, topic, b"")) or is_known_topic(topic)))
        unknown_kinds = sorted(
            {topic.partition(".")[0] for topic in unknown_topics}.difference(service.kinds, OWN_KINDS)
        )
    if unknown_kinds and all(topic.partition(".")[0] in unknown_kinds for topic in unknown_topics):
        why = "this installation lacks the package of that game, so its lines can't be read"
        yield make_finding(
            "version", "problem", f"the store has games of {', '.join(unknown_kinds)}", why, "pip list", "games"
        )
    elif unknown_topics:
        why = "a newer Zim has written them, and this one can't read those lines"
        what = f"the store has events that this Zim does not know: {', '.join(unknown_topics[:3])}"
        yield make_finding("version", "problem", what, why, "pip install --upgrade great-zim")


def check_seals(url: str) -> Findings:
    """Checks that entries are bound to their place."""
    with _open_service(url) as service:
        streams = service.store.streams()
        if CATALOGUE in streams and service.store.is_bound(CATALOGUE):
            return  # it is bound last, and then reading demands it of every stream
        unbound_count = sum(not service.store.is_bound(stream) for stream in streams)
    if unbound_count:
        what = f"{unbound_count} of {numbered(len(streams), 'stream')} {are(unbound_count)} sealed without place"
        why = "a person who can write to the store could pass moves of one game off as another's"
        yield make_finding("seals", "problem", what, why, "db upgrade before.db")


def check_clock(url: str) -> Findings:
    """Checks that no entry is from the future."""
    with _open_service(url) as service:
        time_now, last_move_time = service.clock(), max((each.played for each in service.games()), default=None)
    if last_move_time and last_move_time > time_now + MAX_CLOCK_LEAD:
        why = "this machine's clock is slow now, or was fast then: time limits of turns are wrong"
        what = f"the last move was at {last_move_time:%Y-%m-%d %H:%M:%S} UTC, and it is {time_now:%Y-%m-%d %H:%M:%S}"
        yield make_finding("clock", "problem", what, why, "timedatectl status")


def check_backup(url: str, path: str) -> Findings:
    """Checks that a backup can be read, that the store has all of it, and that it has all old moves of the store."""
    with _open_service(url) as service:
        if not path:
            if service.store.streams():
                why = "Zim can't know of one, so it could not compare it"
                yield make_finding("backup", "remark", "no backup was named", why, "doctor --backup FILE")
            return
        backup_command = f"backup {path}-{service.clock():%Y-%m-%d} --open"
        try:
            witness = _witness_of(Path(path))
        except (EventStoreError, GameError, OSError) as error:
            why = getattr(error, "why", "") or getattr(error, "strerror", "") or str(error)
            yield make_finding("backup", "problem", f"{path} is no backup that can be read", why, backup_command)
            return
        losses = [each for each in service.losses(witness) if each.kind != DELETED]
        if losses:
            what = f"the store lacks {len(losses)} of {len(witness.heads)} streams of {path}, or has them otherwise"
            why = f"it is a backup of another store, or moves were lost: {losses[0].name or losses[0].stream}: "
            yield make_finding("backup", "problem", what, why + losses[0].what, "verify --all")
            return
        backup_time, time_now = first_time_since(service, witness), service.clock()
        if backup_time and time_now - backup_time > MAX_BACKUP_LAG:
            what = f"{path} lacks all moves since {backup_time:%Y-%m-%d}"
            yield make_finding(
                "backup",
                "problem",
                what,
                f"they are {numbered((time_now - backup_time).days, 'day')} old, and on one disk",
                backup_command,
            )


def first_time_since(service: GameService, witness: Witness) -> datetime | None:
    """The time of the first entry of a store that a witness of it does not have; None if it has all."""
    known_revisions, first_times = {head.stream: head.revision for head in witness.heads}, list[datetime]()
    for stream in service.store.streams():
        with suppress(StoreError):  # `db check` reports it
            first_times += [
                entry.seal.at for entry in service.store.read(stream, after=known_revisions.get(stream, -1))
            ][:1]
    return min(first_times, default=None)


def _witness_of(path: Path) -> Witness:
    """The witness of a backup: a store in a file, or an export. Raises `StoreError`."""
    from event_store.backends.sqlite_file import is_database

    if is_database(path):
        with _open_service(f"sqlite:///{path.absolute()}?mode=ro") as service:
            return service.witness()
    with path.open("rb") as file, (service := open_service("memory:")).store:
        import_lines(service.store, file)
        return service.witness()
