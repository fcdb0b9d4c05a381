"""Facts about a store's PostgreSQL server that decide whether it is safe: role, rights, settings. It judges nothing.

Settings of a query are local to its transaction: behind a pgbouncer the next one may use another connection.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any

import msgspec
import psycopg
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier, Literal

from event_store.backends.backend import HINTS_BY_MESSAGE
from event_store.backends.postgres import PostgresRecorder, parse_url
from event_store.errors import StoreError

STATEMENT_TIMEOUT = "4s"
"""For each statement."""
SIGNAL_TIMEOUT = 2.0
"""Seconds in which a signal must arrive."""
TRANSACTION_SETTINGS = SQL("SET LOCAL statement_timeout = {}")
SETTING_NAMES = (
    *("fsync", "full_page_writes", "synchronous_commit", "server_encoding", "transaction_read_only"),
    *("max_connections", "superuser_reserved_connections", "server_version_num"),
)
NOTIFY_STATEMENT = "NOTIFY {}"
NEEDED_RIGHTS = {"stored_events": ("SELECT", "INSERT"), "projections": ("SELECT", "INSERT", "UPDATE")}
"""The rights that Zim uses, by table."""
LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")
TABLE_RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE")
SELECT_ROLE = (
    "SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, pg_is_in_recovery() AS standby, now() AS now,"
    " (SELECT sum(numbackends) FROM pg_stat_database) AS connected FROM pg_roles WHERE rolname = current_user"
)
SELECT_TABLE_RIGHTS = (
    "SELECT c.relname, p.name, has_table_privilege(c.oid, p.name) AS own,"
    " has_table_privilege('public', c.oid, p.name) AS public FROM pg_class c JOIN pg_namespace n"
    " ON n.oid = c.relnamespace CROSS JOIN unnest(%s::text[]) AS p(name)"
    " WHERE n.nspname = %s AND c.relname = ANY(%s) AND c.relkind IN ('r', 'p')"
)
SELECT_SCHEMA_RIGHT = "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = %s"
SELECT_SEQUENCE_RIGHTS = (
    "SELECT s.relname, has_sequence_privilege(s.oid, 'USAGE') AS own FROM pg_class s"
    " JOIN pg_depend d ON d.objid = s.oid AND d.deptype = 'a' JOIN pg_class t ON t.oid = d.refobjid"
    " JOIN pg_namespace n ON n.oid = t.relnamespace"
    " WHERE s.relkind = 'S' AND n.nspname = %s AND t.relname = ANY(%s)"
)
"""The sequences that number the rows."""
SELECT_OTHER_SCHEMAS = (
    "SELECT DISTINCT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN (%s, 'pg_catalog', 'information_schema')"
    " AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE') ORDER BY 1"
)
SELECT_TOPICS = "SELECT DISTINCT topic FROM {}"
Connection = psycopg.Connection[dict[str, Any]]


class ServerFacts(msgspec.Struct, frozen=True):
    """What a PostgreSQL server says of itself and of the role that Zim has there.

    `settings` are those of `SETTING_NAMES`. Zim needs the `missing_rights` and does not use the `unneeded_rights`.
    `public_rights` are those that every role has. `other_schemas` are schemas of other programs that the role may
    change. `seconds_ahead` is the difference of the server's clock. `tables` are Zim's tables that exist. The server
    `is_local` if the connection never leaves this machine.
    """

    settings: dict[str, str]
    role: str
    is_superuser: bool
    role_attributes: tuple[str, ...]
    is_standby: bool
    connection_count: int
    schema: str
    tables: tuple[str, ...]
    missing_rights: tuple[str, ...]
    unneeded_rights: tuple[str, ...]
    public_rights: tuple[str, ...]
    other_schemas: tuple[str, ...]
    seconds_ahead: float
    host: str
    is_local: bool
    is_encrypted: bool
    is_pooled: bool


def read_server_facts(url: str) -> ServerFacts:
    """The facts of the server of a store. Raises `StoreError` if it can't be asked."""
    conninfo, schema = parse_url(url)
    recorder = PostgresRecorder(conninfo, schema)
    schema = recorder.datastore.schema
    recorder.close()
    try:
        with _connect(conninfo) as connection, connection.transaction():
            connection.execute(TRANSACTION_SETTINGS.format(Literal(STATEMENT_TIMEOUT)))
            return _server_facts(connection, schema)
    except psycopg.Error as error:
        raise _store_error("the database can't be asked about its settings", error) from error


def _server_facts(connection: Connection, schema: str) -> ServerFacts:
    settings = {name: _single_value(connection, "SELECT current_setting(%s)", name) for name in SETTING_NAMES}
    (role_row,) = connection.execute(SELECT_ROLE).fetchall()
    seconds_ahead = (role_row["now"] - datetime.now(UTC)).total_seconds()
    table_rows = connection.execute(SELECT_TABLE_RIGHTS, (list(TABLE_RIGHTS), schema, list(NEEDED_RIGHTS))).fetchall()
    missing_rights, unneeded_rights, public_rights = list[str](), list[str](), list[str]()
    if _single_value(connection, SELECT_SCHEMA_RIGHT, schema) is False:
        missing_rights.append(f"USAGE on schema {schema}")
    for row in table_rows:
        right_name = f"{row['name']} on {schema}.{row['relname']}"
        is_needed = row["name"] in NEEDED_RIGHTS[row["relname"]]
        missing_rights += [right_name] * (is_needed and not row["own"])
        unneeded_rights += [right_name] * (row["own"] and not is_needed)
        public_rights += [right_name] * bool(row["public"])
    sequences = connection.execute(SELECT_SEQUENCE_RIGHTS, (schema, list(NEEDED_RIGHTS))).fetchall()
    missing_rights += [f"USAGE on sequence {schema}.{row['relname']}" for row in sequences if not row["own"]]
    other_schemas = connection.execute(SELECT_OTHER_SCHEMAS, (schema,)).fetchall()
    connection_info, role_attributes = (
        connection.info,
        {"CREATEDB": role_row["rolcreatedb"], "CREATEROLE": role_row["rolcreaterole"]},
    )
    return ServerFacts(
        settings=settings,
        role=role_row["rolname"],
        is_superuser=role_row["rolsuper"],
        role_attributes=tuple(name for name, is_granted in role_attributes.items() if is_granted),
        is_standby=role_row["standby"],
        connection_count=int(role_row["connected"] or 0),
        schema=schema,
        tables=tuple(dict.fromkeys(row["relname"] for row in table_rows)),
        missing_rights=tuple(missing_rights),
        unneeded_rights=tuple(unneeded_rights),
        public_rights=tuple(public_rights),
        other_schemas=tuple(row["nspname"] for row in other_schemas),
        seconds_ahead=seconds_ahead,
        host=connection_info.host,
        is_local=connection_info.host.startswith("/") or connection_info.host in LOOPBACK_HOSTS,
        is_encrypted=connection.pgconn.ssl_in_use,
        is_pooled=_single_value(connection, "SELECT pg_backend_pid()") != connection_info.backend_pid,
    )


def hears_signals(url: str) -> bool:
    """Whether a NOTIFY on one connection wakes a LISTEN on another. Raises `StoreError`."""
    conninfo, _ = parse_url(url)
    channel = Identifier(f"zim doctor {secrets.token_hex(8)}")
    try:
        with _connect(conninfo) as listener, _connect(conninfo) as sender:
            listener.execute(SQL("LISTEN {}").format(channel))
            sender.execute(SQL(NOTIFY_STATEMENT).format(channel))
            return any(True for _ in listener.notifies(timeout=SIGNAL_TIMEOUT, stop_after=1))
    except psycopg.Error as error:
        raise _store_error("the database refuses LISTEN and NOTIFY", error) from error


def read_topics(url: str) -> list[str]:
    """The topics of all rows. Raises `StoreError`."""
    conninfo, schema = parse_url(url)
    recorder = PostgresRecorder(conninfo, schema)
    table = Identifier(recorder.datastore.schema, recorder.events_table_name)
    recorder.close()
    try:
        with _connect(conninfo) as connection, connection.transaction():
            connection.execute(TRANSACTION_SETTINGS.format(Literal(STATEMENT_TIMEOUT)))
            return [row["topic"] for row in connection.execute(SQL(SELECT_TOPICS).format(table))]
    except psycopg.errors.QueryCanceled:
        raise StoreError("the rows were not all read", f"that takes longer than {STATEMENT_TIMEOUT}") from None
    except psycopg.Error as error:
        raise _store_error("the rows can't be read", error) from error


def _connect(conninfo: str) -> Connection:
    return psycopg.connect(conninfo, autocommit=True, prepare_threshold=None, row_factory=dict_row)


def _single_value(connection: Connection, statement: str, *values: str) -> Any:
    row = connection.execute(statement, values).fetchone()
    return next(iter(row.values())) if row else None


def _store_error(what: str, error: psycopg.Error) -> StoreError:
    details = f"{error.sqlstate} {error}"
    hints = [hint for part, hint in HINTS_BY_MESSAGE.items() if part in details and "{" not in hint]
    return StoreError(what, str(error).strip().partition("\n")[0], hints)
