"""Judges the PostgreSQL server of a store for `zim doctor`: role, rights, settings, connections, signals."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from event_store.backends.postgres_health import ServerFacts
from zimcore.documents.health import HealthFinding
from zimcore.service.health.health_checks import make_finding
from zimcore.toolkit.words import numbered

OLDEST_VERSION = 150_000
"""The oldest version of PostgreSQL that still gets fixes, as `server_version_num`: 14 got its last in November 2026."""
CONNECTIONS_PER_PROCESS = 6
"""Connections of a process of `zim serve`: one for each of its four workers, and two for signals."""
MAX_CLOCK_DIFFERENCE = 2.0
"""Seconds by which the clock of the server may differ."""


def judge_role(facts: ServerFacts) -> Iterator[HealthFinding]:
    """Judges the role and its rights."""
    role, schema = facts.role, facts.schema
    if facts.is_superuser:
        why = "a stolen password or a fault in Zim would reach every database of the server"
        hint = "psql -c 'CREATE ROLE zim LOGIN' -c 'CREATE SCHEMA zim AUTHORIZATION zim' -c '\\password zim'"
        yield make_finding("role", "problem", f"{role} is a superuser", why, hint)
    for attribute in facts.role_attributes if not facts.is_superuser else ():
        why = "Zim does not need that"
        yield make_finding(
            "role", "remark", f"{role} has {attribute}", why, f"psql -c 'ALTER ROLE {role} NO{attribute}'"
        )
    if facts.missing_rights:
        hints = (f"psql -c 'GRANT {right} TO {role}'" for right in facts.missing_rights)
        why = "without it games can't be read or played"
        yield make_finding("role", "problem", f"{role} lacks {', '.join(facts.missing_rights)}", why, *hints)
    if facts.public_rights:
        hints = (f"psql -c 'REVOKE {right} FROM PUBLIC'" for right in facts.public_rights)
        why = "every role of the database can read hidden cards, or change moves"
        yield make_finding("role", "problem", f"every role has {', '.join(facts.public_rights)}", why, *hints)
    if facts.unneeded_rights and not facts.is_superuser:
        right_names = ", ".join(sorted({right.partition(" ")[0] for right in facts.unneeded_rights}))
        why = "Zim does not need that; a role has it if it owns the tables. A witness reveals changed or deleted rows"
        yield make_finding("role", "remark", f"{role} has {right_names} on tables of {schema}", why, "witness FILE")
    if facts.other_schemas and not facts.is_superuser:
        what = f"{role} may also change tables of {', '.join(facts.other_schemas)}"
        why = "a stolen password would reach more than the games"
        hint = f"psql -c 'REVOKE ALL ON ALL TABLES IN SCHEMA {facts.other_schemas[0]} FROM {role}'"
        yield make_finding("role", "remark", what, why, hint)


def judge_settings(facts: ServerFacts) -> Iterator[HealthFinding]:
    """Judges what the server does at a power cut, its version, its clock, and whether the connection is encrypted."""
    settings = facts.settings
    for name in ("fsync", "full_page_writes"):
        if settings[name] != "on":
            why = "a power cut can lose acknowledged moves or damage the whole database"
            hint = f"psql -c 'ALTER SYSTEM SET {name} = on' -c 'SELECT pg_reload_conf()'"
            yield make_finding("settings", "problem", f"{name} is {settings[name]}", why, hint)
    if settings["synchronous_commit"] == "off":
        why = "Zim waits for the disk all the same; other programs of this role do not"
        hint = f"psql -c 'ALTER ROLE {facts.role} RESET synchronous_commit'"
        yield make_finding("settings", "remark", "synchronous_commit is off", why, hint)
    if facts.is_standby or settings["transaction_read_only"] == "on":
        what = "the server is a standby" if facts.is_standby else "transactions are read-only here"
        yield make_finding(
            "settings", "problem", what, "no move can be stored", "zim --store postgresql://PRIMARY/... doctor"
        )
    if settings["server_encoding"] not in ("UTF8", "SQL_ASCII"):  # SQL_ASCII stores any text
        why = "names and chat in other scripts can't be stored"
        hint = "createdb --encoding UTF8 --template template0 zim"
        yield make_finding("settings", "problem", f"the encoding is {settings['server_encoding']}", why, hint)
    version = int(settings["server_version_num"])
    if version < OLDEST_VERSION:
        what = f"the server is PostgreSQL {version // 10_000}"
        yield make_finding("settings", "remark", what, "it gets no more fixes", "pg_upgrade --help")
    if abs(facts.seconds_ahead) > MAX_CLOCK_DIFFERENCE:
        relation = "ahead of" if facts.seconds_ahead > 0 else "behind"
        what = f"the server's clock is {abs(facts.seconds_ahead):.0f} s {relation} this one"
        yield make_finding("settings", "remark", what, "times in logs do not match", "timedatectl status")
    if not (facts.is_local or facts.is_encrypted):
        why = "the password and hidden cards can be read on the way"
        yield make_finding(
            "settings", "problem", f"no TLS on the way to {facts.host}", why, "add ?sslmode=require to the URL"
        )


def judge_connections(facts: ServerFacts, process_count: int) -> Iterator[HealthFinding]:
    """Judges whether the server has connections for this many processes of `zim serve`.

    For 0, judges whether one more process could start now.
    """
    if facts.is_pooled:
        return
    usable_connections = int(facts.settings["max_connections"]) - int(facts.settings["superuser_reserved_connections"])
    process_capacity = (
        usable_connections if process_count else usable_connections - facts.connection_count
    ) // CONNECTIONS_PER_PROCESS
    if process_capacity < (process_count or 1):
        used_text = f", {facts.connection_count} are in use" if not process_count else ""
        capacity_text = numbered(max(process_capacity, 0), "process")
        what = f"max_connections leaves {usable_connections}{used_text}: that is for {capacity_text}"
        why = f"each process holds {CONNECTIONS_PER_PROCESS}; one without connections answers 503"
        enough_connections = 2 * (usable_connections + CONNECTIONS_PER_PROCESS * process_count)
        hint = f"psql -c 'ALTER SYSTEM SET max_connections = {enough_connections}'"
        yield make_finding("connections", "problem", what, why, hint, "and restart the server, or use pgbouncer")


def judge_signals(is_pooled: bool, hears_signals: Callable[[], bool]) -> Iterator[HealthFinding]:
    """Judges whether a move at one process wakes the others. `is_pooled` is whether they signal through a pool."""
    if is_pooled:
        why = "NOTIFY does not arrive through a pool: other processes see a move up to a second later"
        hint = "serve --direct postgresql://USER@HOST:5432/DATABASE"
        yield make_finding("signals", "remark", "a connection pool is in front of the database", why, hint)
    elif not hears_signals():
        why = "other processes see a move only when they look, up to a second later"
        yield make_finding(
            "signals", "problem", "a NOTIFY did not arrive within 2 seconds", why, "psql -c 'LISTEN test'"
        )
