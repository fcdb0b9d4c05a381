"""`zim doctor` on a store of PostgreSQL: each fault is made once and named, and a healthy database has none."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any, NoReturn
from uuid import uuid4

import psycopg
import pytest
from msgspec.structs import replace
from psycopg.conninfo import conninfo_to_dict

from event_store.backends import postgres_health
from event_store.backends.postgres_health import ServerFacts, read_server_facts
from tests.pgbouncer import bouncer_url, free_port
from tests.timeouts import PATIENCE
from zimcore.documents.health import HealthFinding, Level
from zimcore.service.health.database_health import judge_settings
from zimcore.service.health.store_health import examine_store

Execute = Callable[..., Any]


@pytest.fixture
def run_as_admin(postgres_url: str) -> Iterator[Execute]:
    """A function that runs statements as the administrator."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection.execute


@pytest.fixture
def schema(postgres_store: str) -> str:
    """The schema of an empty store that the administrator has made."""
    return postgres_store.partition("?schema=")[2]


@pytest.fixture
def role(run_as_admin: Execute, schema: str) -> Iterator[str]:
    """A role that has only the rights that Zim needs in the schema."""
    role_name = f"zim_doctor_{uuid4().hex[:12]}"
    run_as_admin(f"CREATE ROLE {role_name} LOGIN PASSWORD 'sesame'")
    try:
        run_as_admin(f"GRANT USAGE ON SCHEMA {schema} TO {role_name}")
        run_as_admin(f"GRANT SELECT, INSERT ON {schema}.stored_events TO {role_name}")
        run_as_admin(f"GRANT SELECT, INSERT, UPDATE ON {schema}.projections TO {role_name}")
        run_as_admin(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role_name}")
        yield role_name
    finally:
        run_as_admin(f"DROP OWNED BY {role_name}")
        run_as_admin(f"DROP ROLE {role_name}")


@pytest.fixture
def url(postgres_url: str, role: str, schema: str) -> str:
    """The URL of the store for that role."""
    connection_fields = {"host": "127.0.0.1", "port": "5432", **conninfo_to_dict(postgres_url)}
    return f"postgresql://{role}:sesame@{connection_fields['host']}:{connection_fields['port']}/{connection_fields['dbname']}?schema={schema}"


def findings_of(url: str, check: str, **options: Any) -> list[HealthFinding]:
    """The findings of a check, each with something to type, and without the password."""
    report = examine_store(url, **options)
    assert check in report.checks
    assert "sesame" not in repr(report)
    findings = [each for each in report.findings if each.check == check]
    assert all(each.why and (each.hints or each.level == "unchecked") for each in findings)
    return findings


def only_finding(url: str, check: str, level: Level = "problem", **options: Any) -> str:
    """The only finding of a check."""
    (finding,) = findings_of(url, check, **options)
    assert finding.level == level
    return " ".join((finding.what, finding.why, *finding.hints))


def test_a_healthy_database_has_no_findings(url: str) -> None:
    assert examine_store(url).findings == ()


def test_a_missing_server_is_a_problem(url: str) -> None:
    other_url = url.replace(url.rpartition(":")[2].partition("/")[0], "1")
    report = examine_store(other_url)
    assert [(each.check, each.level) for each in report.findings] == [("server", "problem"), ("server", "unchecked")]
    assert report.findings[0].hints


def test_missing_tables_are_a_problem(postgres_schema: str) -> None:
    problem, _ = findings_of(postgres_schema, "open")
    assert "db init" in problem.hints[0]


def test_a_superuser_is_a_problem(postgres_store: str) -> None:
    assert "is a superuser" in only_finding(postgres_store, "role")


def test_needless_attributes_of_the_role_are_a_remark(url: str, role: str, run_as_admin: Execute) -> None:
    run_as_admin(f"ALTER ROLE {role} CREATEDB")
    assert f"ALTER ROLE {role} NOCREATEDB" in only_finding(url, "role", "remark")


@pytest.mark.parametrize(
    "right", ["INSERT ON {}.stored_events", "UPDATE ON {}.projections", "USAGE ON ALL SEQUENCES IN SCHEMA {}"]
)
def test_missing_rights_are_mended_by_the_hint(
    url: str, role: str, schema: str, run_as_admin: Execute, right: str
) -> None:
    run_as_admin(f"REVOKE {right.format(schema)} FROM {role}")
    hint = findings_of(url, "role")[0].hints[0]
    run_as_admin(hint.removeprefix("psql -c '").removesuffix("'"))
    assert findings_of(url, "role") == [], "the hint grants the missing right"


def test_needless_rights_are_a_remark(url: str, role: str, schema: str, run_as_admin: Execute) -> None:
    run_as_admin(f"GRANT DELETE ON {schema}.stored_events TO {role}")
    assert "has DELETE on tables" in only_finding(url, "role", "remark")


def test_rights_of_every_role_are_a_problem(url: str, schema: str, run_as_admin: Execute) -> None:
    run_as_admin(f"GRANT SELECT ON {schema}.stored_events TO PUBLIC")
    assert f"REVOKE SELECT on {schema}.stored_events FROM PUBLIC" in only_finding(url, "role")


def test_rights_on_tables_of_others_are_a_remark(url: str, role: str, schema: str, run_as_admin: Execute) -> None:
    run_as_admin(f"CREATE SCHEMA {schema}_other CREATE TABLE notes (text text)")
    try:
        run_as_admin(f"GRANT USAGE ON SCHEMA {schema}_other TO {role}")
        run_as_admin(f"GRANT DELETE ON {schema}_other.notes TO {role}")
        assert f"{schema}_other" in only_finding(url, "role", "remark")
    finally:
        run_as_admin(f"DROP SCHEMA {schema}_other CASCADE")


@pytest.mark.parametrize(
    ("setting", "level", "message"),
    [
        ("synchronous_commit=off", "remark", "synchronous_commit is off"),
        ("default_transaction_read_only=on", "problem", "read-only"),
    ],
)
def test_unsafe_settings_of_the_role_are_reported(
    url: str, role: str, run_as_admin: Execute, setting: str, level: Level, message: str
) -> None:
    run_as_admin(f"ALTER ROLE {role} SET {setting.replace('=', ' = ')}")
    assert message in only_finding(url, "settings", level)


def test_too_few_connections_for_many_processes_are_a_problem(url: str) -> None:
    assert findings_of(url, "connections", process_count=2) == []
    assert "that is for" in only_finding(url, "connections", process_count=5000)


@pytest.fixture(scope="module")
def unsafe_server(skip_or_fail: Callable[[str], NoReturn]) -> Iterator[str]:
    """A server of its own that does not wait for its disk, and has few connections."""
    initdb_paths = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (
        str(initdb_paths[-1]) if initdb_paths else skip_or_fail("no PostgreSQL to be started here")
    )
    with tempfile.TemporaryDirectory(prefix="zim-doctor-") as folder, run_server(Path(initdb), Path(folder)) as url:
        yield url


@contextmanager
def run_server(initdb: Path, folder: Path) -> Iterator[str]:
    user = "postgres" if os.getuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    data_folder, port = f"{folder}/data", free_port()
    initdb_command = [
        str(initdb),
        "-D",
        data_folder,
        "-U",
        "postgres",
        "-A",
        "trust",
        "--no-sync",
        "-E",
        "SQL_ASCII",
        "--no-locale",
    ]
    subprocess.run(initdb_command, check=True, stdout=subprocess.DEVNULL, user=user, cwd=folder)
    postgres = Path(shutil.which("postgres") or initdb.resolve().with_name("postgres"))
    if not postgres.exists():
        postgres = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))[-1]
    options = ["-D", data_folder, "-p", str(port), "-k", str(folder), "-c", "listen_addresses=127.0.0.1"]
    options += ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=8"]
    options += ["-c", "max_wal_senders=0"]
    devnull = subprocess.DEVNULL
    process = subprocess.Popen([str(postgres), *options], stdout=devnull, stderr=devnull, user=user, cwd=folder)
    url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    try:
        for _ in range(int(PATIENCE / 0.05)):
            with suppress(psycopg.OperationalError):
                psycopg.connect(url).close()
                break
            Event().wait(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(PATIENCE)


def test_a_server_that_loses_moves_at_a_power_cut_is_reported(unsafe_server: str) -> None:
    reported_settings = [each.what for each in findings_of(unsafe_server, "settings")]
    assert reported_settings == ["fsync is off", "full_page_writes is off"]


def test_a_server_with_few_connections_is_a_problem(unsafe_server: str) -> None:
    assert "leaves 5" in only_finding(unsafe_server, "connections")


@pytest.mark.parametrize(
    ("changed_facts", "level", "message"),
    [
        ({"is_standby": True}, "problem", "standby"),
        ({"seconds_ahead": -90.0}, "remark", "90 s behind"),
        ({"is_local": False, "host": "db.example"}, "problem", "no TLS on the way to db.example"),
        ({"settings": {"server_version_num": "140020"}}, "remark", "PostgreSQL 14"),
        ({"settings": {"server_encoding": "LATIN1"}}, "problem", "the encoding is LATIN1"),
    ],
)
def test_facts_of_other_servers_are_judged(url: str, changed_facts: dict[str, Any], level: Level, message: str) -> None:
    """Standby, clock, network and age of the server: its facts are changed after they were read."""
    facts: ServerFacts = read_server_facts(url)
    assert list(judge_settings(facts)) == []
    changes = {**changed_facts, "settings": facts.settings | changed_facts.get("settings", {})}
    (finding,) = judge_settings(replace(facts, **changes))
    assert (finding.level, message in finding.what) == (level, True)


def test_signals_that_do_not_arrive_are_a_problem(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert postgres_health.hears_signals(url)
    monkeypatch.setattr(postgres_health, "SIGNAL_TIMEOUT", 0.05)
    monkeypatch.setattr(postgres_health, "NOTIFY_STATEMENT", "SELECT 1 AS {}")
    assert "did not arrive" in only_finding(url, "signals")


def test_a_pool_in_front_of_a_server_is_noticed(postgres_store: str, find_program: Callable[..., str]) -> None:
    with bouncer_url(postgres_store, find_program("pgbouncer", "/usr/sbin/pgbouncer")) as url:
        assert "through a pool" in only_finding(url, "signals", "remark")
        assert findings_of(url, "connections", process_count=5000) == [], "the connections are the pool's"
        assert findings_of(url, "signals", direct_url=postgres_store) == []
        assert "leads to a connection pool" in only_finding(url, "signals", direct_url=url)
