"""A store on a PostgreSQL server. An append returns when the entry is on the server's disk.

If a connection breaks during an append, it is unknown whether the entry was stored. Zim then appends it again at the
same revision: if it was stored, the two collide, and the store compares them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, LiteralString, TypeVar
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import psycopg
from eventsourcing.persistence import OperationalError, PersistenceError
from eventsourcing.postgres import ConnectionPool, PostgresApplicationRecorder, PostgresDatastore
from psycopg import ClientCursor
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row, tuple_row
from psycopg.sql import SQL, Composable, Composed, Identifier, Literal
from psycopg_pool import PoolClosed, PoolTimeout

from event_store.chain import Row
from event_store.errors import StoreError
from event_store.marks import FORMAT, FORMAT_MARK, MARK_NAMES, Marks, checked_marks
from event_store.projections import StoredProjection

RETRY_DELAYS = (0.0, 0.1, 0.3, 0.6, 1.0)
"""Seconds to wait before each retry after a connection broke."""

LOCK_TIMEOUT = "5s"
"""How long to wait for another writer."""

SELECT_ROWS = (
    "SELECT originator_version, topic, state FROM {table}"
    " WHERE originator_id = %s AND originator_version > %s AND originator_version <= %s AND {is_readable}"
    " ORDER BY originator_version"
)
SELECT_LAST = SELECT_ROWS + " DESC LIMIT 1"
SELECT_ROWS_OF_STREAMS = (
    "SELECT originator_id, originator_version, topic, state FROM {table}"
    " JOIN unnest(%s::text[], %s::bigint[]) AS wanted(stream, after) ON originator_id = stream"
    " WHERE originator_version > after AND {is_readable} ORDER BY originator_id, originator_version"
)
# An append is one round trip and one transaction. Settings are local to it and no statement is prepared, since behind a
# pgbouncer the next transaction may use another connection of the server. Writers of different streams do not wait for
# each other, so `notification_id` gives the order of rows within a stream only.
SET_TIMEOUT = "SET LOCAL lock_timeout = {lock_timeout};"
# A database or role may be set to answer before the data is on the disk; this transaction waits for the disk.
WAIT_FOR_DISK = (
    " SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';"
)
INSERT_ROWS = (
    " INSERT INTO {table} (originator_id, originator_version, topic, state)"
    " SELECT * FROM unnest(%s::text[], %s::bigint[], %s::text[], %s::bytea[]) WHERE {is_readable}"
)
# Inserted rows are read back, after any deferred triggers. If they differ from what was written, a division by zero
# aborts the transaction. Digests are compared, so that the rows need not be sent twice.
READ_BACK = (
    "; SET CONSTRAINTS ALL IMMEDIATE; SELECT 1 / (sha256(coalesce(string_agg(convert_to(topic, 'UTF8') || state,"
    " ''::bytea ORDER BY number), ''::bytea)) = %s)::int FROM {table} JOIN unnest(%s::text[], %s::bigint[])"
    " WITH ORDINALITY AS wanted(stream, revision, number) ON originator_id = stream AND originator_version = revision"
)
CREATE_PROJECTIONS = (
    "CREATE TABLE IF NOT EXISTS {projections}"
    " (stream text PRIMARY KEY, revision bigint NOT NULL, content bytea NOT NULL)"
)
STORE_PROJECTIONS = (
    " INSERT INTO {projections} AS p SELECT * FROM unnest(%s::text[], %s::bigint[], %s::bytea[])"
    " ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, content = excluded.content"
    " WHERE p.revision <= excluded.revision;"
)
SELECT_PROJECTIONS = (
    "SELECT p.stream, e.originator_version, e.topic, e.state, p.content,"
    " (SELECT max(originator_version) FROM {table} WHERE originator_id = p.stream)"
    " FROM {projections} AS p JOIN {table} AS e ON e.originator_id = p.stream AND e.originator_version = p.revision"
    " WHERE p.stream = ANY(%s) AND {is_readable}"
)
SELECT_ALL = "SELECT originator_id, originator_version, topic, state FROM {table} ORDER BY notification_id"
SELECT_STREAMS = "SELECT DISTINCT originator_id FROM {table} WHERE {is_readable}"
SELECT_MARKS = "SELECT stream, revision, content FROM {projections} WHERE stream = ANY(%s)"
# Each statement looks at the format number first, once, without another round trip: if a newer Zim must be used, a
# division by zero aborts it, and the number is read to say so.
IS_READABLE = (
    "(SELECT 1 / (coalesce(max(m.revision), 0) <= {format})::int FROM {projections} AS m WHERE m.stream = {mark}) = 1"
)
ROWS_PER_PAGE = 1000
"""Rows fetched at once when all streams are read."""
MAX_REVISION = 2**63 - 1
"""PostgreSQL's greatest `bigint`."""

MAX_CONNECTIONS = 8
"""The most connections that a store opens, for any number of threads."""

POOL_TIMEOUT = 10.0
"""Seconds that a thread waits for a free connection: more than `LOCK_TIMEOUT`, which each busy one may wait."""

Connection = psycopg.Connection[DictRow]
ResultT = TypeVar("ResultT")


class Pool(ConnectionPool[Connection]):
    """The library's connection pool, which here fails quickly and says why.

    The library's own pool keeps trying in the background, logs the reason and lets callers wait until they time out.
    This one gives up after a second try, and tries again at the next request for a connection.
    """

    def __init__(self, conninfo: str) -> None:
        super().__init__(
            conninfo,
            kwargs={"autocommit": True, "row_factory": dict_row, "prepare_threshold": None},
            min_size=0,
            max_size=MAX_CONNECTIONS,
            open=False,
            timeout=POOL_TIMEOUT,
            reconnect_timeout=0,
            num_workers=1,
        )
        self.has_ever_connected = False
        self._connect_error: Exception | None = None

    def getconn(self, timeout: float | None = None) -> Connection:
        """A connection for the calling thread. Raises the error that connecting failed with, or a `PoolTimeout`."""
        try:
            return super().getconn(timeout)
        except PoolTimeout as error:
            raise (self._connect_error or error) from None

    def _connect(self, timeout: float | None = None) -> Connection:
        try:
            connection = super()._connect(timeout)
        except Exception as error:
            self._connect_error = error
            raise
        self.has_ever_connected, self._connect_error = True, None
        return connection

    def reconnect_failed(self) -> None:
        """Fails all waiting threads, with the reason."""
        with self._lock:
            # A connection that is left serves them when it is free, or fails them when it breaks.
            while self._waiting and not self._nconns:
                self._waiting.popleft().fail(self._connect_error or PoolTimeout())


class Datastore(PostgresDatastore):
    """The library's datastore with our `Pool`, and without custom types in the database."""

    def __init__(self, conninfo: str, schema: str) -> None:
        super().__init__("", "", "", "", "", schema=schema, originator_id_type="text")
        self.pool: Pool = Pool(conninfo)

    def register_type_adapters(self) -> None:
        """Does nothing: there are no custom types."""


class PostgresRecorder(PostgresApplicationRecorder):
    """The library's recorder, with our statements. `create` must have made its tables."""

    can_remove = False

    def __init__(self, conninfo: str, schema: str) -> None:
        datastore = Datastore(conninfo, schema)
        super().__init__(datastore)
        self.pool = datastore.pool
        self.sql_create_statements = [each for each in self.sql_create_statements if _is_needed(each)]
        self._sql_names: dict[str, Composable] = {
            "table": Identifier(datastore.schema, self.events_table_name),
            "projections": Identifier(datastore.schema, "projections"),
            "lock_timeout": Literal(LOCK_TIMEOUT),
        }
        self._statements = dict[LiteralString, Composed]()
        self._cached_marks: Marks | None = None
        self._has_projections_table = False

    def _statement(self, template: LiteralString) -> Composed:
        """The statement of a template; one that looks at the format number, if there is a table that has it."""
        if self._cached_marks is None:
            self.marks()
        statement = self._statements.get(template) or SQL(template).format(**self._sql_names)
        self._statements[template] = statement
        return statement

    def marks(self) -> Marks:
        """The marks of the store as they were when it was first read or written. Raises `NewerError`."""
        if self._cached_marks is None:
            statement, rows = SQL(SELECT_MARKS).format(**self._sql_names), list[Any]()
            try:
                rows = list(self._fetch_rows(statement, (list(MARK_NAMES),)))
                self._has_projections_table = True
            except PersistenceError as error:
                if not isinstance(error.__cause__, psycopg.errors.UndefinedTable):
                    raise
                self._has_projections_table = False  # `create` adds it to an old database
            self._cached_marks = checked_marks(rows)
            is_number_altered = any(name == FORMAT_MARK and number > FORMAT for name, number, _ in rows)
            condition = IS_READABLE if self._has_projections_table and not is_number_altered else "true"
            names = {**self._sql_names, "format": Literal(FORMAT), "mark": Literal(FORMAT_MARK)}
            self._sql_names["is_readable"] = SQL(condition).format(**names)
        return self._cached_marks

    def _forget_marks(self) -> None:
        self._cached_marks = None
        self._statements.clear()

    @property
    def _advisory_lock_number(self) -> int:
        """The number of the advisory lock held while the tables are made."""
        from hashlib import blake2b

        name = f"zim {self.datastore.schema}.{self.events_table_name}"
        return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True)

    def check_file(self) -> None:
        """Does nothing: there is no file here."""

    def find_fault(self) -> str:
        """Always "": the server checks its files itself."""
        return ""

    def create(self) -> None:
        """Makes the tables if there are none. Of several concurrent callers one makes them and the others wait."""
        with self.datastore.transaction(commit=True) as cursor:
            cursor.execute(SQL("SELECT pg_advisory_xact_lock({})").format(self._advisory_lock_number))
            cursor.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(self.datastore.schema)))
            self._create_table(cursor)
            cursor.execute(SQL(CREATE_PROJECTIONS).format(**self._sql_names))
        self._forget_marks()

    def exists(self) -> bool:
        """Always true; reading fails if the tables are missing."""
        return True

    def change_token(self) -> object:
        """Always None: asking would cost as much as reading."""
        return None

    def insert_rows(self, rows: Sequence[tuple[str, *Row]], projections: Sequence[StoredProjection] = ()) -> None:
        """Stores rows, all or none. Raises `IntegrityError` if one of their revisions exists."""
        row_columns, template = _columns(rows, 4), SET_TIMEOUT + WAIT_FOR_DISK + INSERT_ROWS + READ_BACK
        parameters = (*row_columns, _rows_digest(rows), *row_columns[:2])
        statement = self._statement(template)
        if projections and self._has_projections_table:
            statement = self._statement(SET_TIMEOUT + WAIT_FOR_DISK + STORE_PROJECTIONS + INSERT_ROWS + READ_BACK)
            parameters = (*_columns(sorted(projections), 3), *parameters)

        def insert(connection: Connection) -> None:
            try:
                ClientCursor(connection).execute(statement, parameters)
            except psycopg.errors.DivisionByZero as error:
                raise OperationalError("the database did not store all that was written") from error

        self._retry_on_broken_connection(insert)
        if any(name in MARK_NAMES for name, *_ in projections):
            self._forget_marks()

    def select_projections(self, streams: Sequence[str]) -> Sequence[Any]:
        """The projections of streams, each with the row that it belongs to and the last revision of the stream."""
        statement = self._statement(SELECT_PROJECTIONS)
        return self._fetch_rows(statement, (list(streams),)) if self._has_projections_table else []

    def select_stored_projections(self, names: Sequence[str]) -> Sequence[StoredProjection]:
        """The rows of the table of projections under these names."""
        statement = self._statement(SELECT_MARKS)
        return self._fetch_rows(statement, (list(names),)) if self._has_projections_table else []

    def select_rows(self, stream: str, after: int, until: int | None) -> Sequence[Row]:
        """The rows of a stream after revision `after`, up to and including `until`."""
        return self._fetch_rows(self._statement(SELECT_ROWS), (stream, after, MAX_REVISION if until is None else until))

    def select_rows_of_streams(self, revisions_by_stream: Mapping[str, int]) -> Sequence[tuple[str, *Row]]:
        """The rows of streams, each after its own revision."""
        return self._fetch_rows(
            self._statement(SELECT_ROWS_OF_STREAMS), (list(revisions_by_stream), list(revisions_by_stream.values()))
        )

    def select_last_row(self, stream: str) -> Row | None:
        """The last row of a stream."""
        return next(iter(self._fetch_rows(self._statement(SELECT_LAST), (stream, -1, MAX_REVISION))), None)

    def select_all_rows(self) -> Iterator[tuple[str, *Row]]:
        """The rows of all streams, as of one moment; those of each stream are in order."""
        self.select_last_row("")  # reconnects after a broken connection, which can't be done half-way through
        with (
            self.datastore.get_connection() as connection,
            connection.transaction(),
            connection.cursor("everything", row_factory=tuple_row) as cursor,
        ):
            cursor.itersize = ROWS_PER_PAGE
            yield from cursor.execute(self._statement(SELECT_ALL), binary=True)

    def select_streams(self) -> list[str]:
        """The names of all streams."""
        return [stream for (stream,) in self._fetch_rows(self._statement(SELECT_STREAMS), ())]

    def remove_streams(self, streams: Sequence[str], rows_to_store: Sequence[tuple[str, *Row]]) -> None:
        """Not supported: other programs use the database too."""
        raise NotImplementedError

    def compact(self) -> None:
        """Does nothing: rows are never removed."""

    def copy_to(self, path: Path) -> bool:
        """Always false: the database is not a file here."""
        del path
        return False

    def _fetch_rows(self, statement: Composed, values: Sequence[Any]) -> Sequence[Any]:
        def fetch(connection: Connection) -> Sequence[Any]:
            return connection.cursor(binary=True, row_factory=tuple_row).execute(statement, values).fetchall()

        return self._retry_on_broken_connection(fetch)

    def _retry_on_broken_connection(self, query: Callable[[Connection], ResultT]) -> ResultT:
        """Calls `query` with a connection, and retries if a connection that once worked breaks."""
        for delay in RETRY_DELAYS:
            try:
                return self._execute(query)
            except OperationalError as error:
                if not (self.pool.has_ever_connected and is_connection_lost(error)):
                    raise
            time.sleep(delay)
            self.pool.check()  # a restart of the server breaks the other connections too
        return self._execute(query)

    def _execute(self, query: Callable[[Connection], ResultT]) -> ResultT:
        try:
            with self.datastore.get_connection() as connection:
                return query(connection)
        except PersistenceError as error:
            if isinstance(error.__cause__, psycopg.errors.DivisionByZero):
                self._forget_marks()
                self.marks()
            raise

    def close(self) -> None:
        """Closes the connections."""
        self.pool.close()


def _rows_digest(rows: Iterable[tuple[str, *Row]]) -> bytes:
    """The digest of rows that `READ_BACK` compares with (SHA-256)."""
    from hashlib import sha256

    return sha256(b"".join(topic.encode() + content for *_, topic, content in rows)).digest()


def _columns(rows: Sequence[Sequence[Any]], width: int) -> tuple[list[Any], ...]:
    return tuple(map(list, zip(*rows, strict=True))) if rows else tuple([] for _ in range(width))


def is_connection_lost(error: PersistenceError) -> bool:
    """Whether an error means that the connection broke, or that the server is starting or stopping."""
    if isinstance(error.__cause__, (PoolClosed, PoolTimeout)):
        return False
    sql_state = getattr(error.__cause__, "sqlstate", None)
    return sql_state is None or sql_state[:2] == "08" or sql_state[:3] == "57P"


def _is_needed(statement: Composed) -> bool:
    """Whether a statement of the library is needed: those that create types and functions are not."""
    text = statement.as_string()
    return "CREATE TYPE" not in text and "FUNCTION" not in text


def open_recorder(url: str) -> PostgresRecorder:
    """The recorder for `postgresql://user@host:port/database`; `?schema=name` puts the tables in a schema.

    Other parameters of the URL go to the driver. Raises `StoreError` if the URL can't be read.
    """
    return PostgresRecorder(*parse_url(url))


def parse_url(url: str) -> tuple[str, str]:
    """The connection string and the schema ("" for the default) in a URL. Raises `StoreError`."""
    try:
        url_parts = urlsplit(url)
        parameters = dict(parse_qsl(url_parts.query))
        schema = parameters.pop("schema", "")
        settings = conninfo_to_dict(url_parts._replace(query=urlencode(parameters, quote_via=quote)).geturl())
    except (psycopg.ProgrammingError, ValueError) as error:  # ValueError: unclosed brackets in the URL
        raise StoreError("can't open the store", f"not a URL of PostgreSQL: {str(error).strip()}") from error
    settings["client_encoding"] = "UTF8"  # with SQL_ASCII, in the URL or the environment, text would come as bytes
    settings.setdefault("connect_timeout", 5)  # two tries must take no longer than POOL_TIMEOUT
    return make_conninfo("", **settings), schema
