"""Judges a store in a file for `zim doctor`: rights, disk space, journal. Each function yields its findings."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from event_store.backends.sqlite_health import FileFacts, JournalFacts
from zimcore.documents.health import HealthFinding, Level
from zimcore.service.health.health_checks import make_finding

OTHERS_READ, OTHERS_WRITE, GROUP_READ, STICKY = 0o004, 0o002, 0o040, 0o1000
"""Bits of the mode of a file or folder."""
MIN_FREE_BYTES = 100 << 20
"""Bytes that a disk must have free."""
USUAL_FREE_SHARE = 0.1
"""The part of a disk that should be free."""
NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs")
"""How the names of file systems begin on which a write-ahead log is not safe."""


def judge_log(facts: FileFacts) -> Iterator[HealthFinding]:
    """Judges whether the log beside the file is its own. If it is not, nothing may open the file."""
    quoted_file = shlex.quote(facts.file)
    if not facts.has_own_log:
        why = "the file was replaced, or the log was left over: opening both would mix two stores"
        what = f"{facts.file}-wal belongs to another file"
        yield make_finding("file", "problem", what, why, f"mv {quoted_file}-wal {quoted_file}-wal.old", "db check")


def judge_rights(facts: FileFacts, is_served: Callable[[], bool]) -> Iterator[HealthFinding]:
    """Judges who else may read and write the file. A store that is not served has no secrets."""
    quoted_file, quoted_folder = shlex.quote(facts.file), shlex.quote(facts.folder)
    if facts.is_reachable and facts.mode & OTHERS_WRITE:
        why = "any user of this machine can change moves and give themselves a seat"
        yield make_finding("rights", "problem", f"others may write {facts.file}", why, f"chmod 600 {quoted_file}")
    elif facts.is_reachable and facts.mode & OTHERS_READ:
        level: Level = "problem" if is_served() else "remark"
        why = "it contains hidden cards and chat, which any user of this machine can read"
        yield make_finding("rights", level, f"others may read {facts.file}", why, f"chmod 600 {quoted_file}")
    elif facts.is_group_reachable and facts.mode & GROUP_READ:
        why = "it contains hidden cards and chat"
        yield make_finding("rights", "remark", f"its group may read {facts.file}", why, f"chmod 600 {quoted_file}")
    if facts.is_reachable and facts.folder_mode & OTHERS_WRITE and not facts.folder_mode & STICKY:
        why = "any user of this machine can replace the store with another file"
        yield make_finding(
            "rights", "problem", f"others may write in {facts.folder}", why, f"chmod o-w {quoted_folder}"
        )


def judge_disk(facts: FileFacts) -> Iterator[HealthFinding]:
    """Judges free space, and folders of programs that were stopped."""
    needed_bytes = max(MIN_FREE_BYTES, 2 * facts.size)
    what = f"{mebibytes(facts.free_size)} free on the disk of {facts.folder}"
    if facts.free_size < needed_bytes:
        why = f"a backup needs as much again as the store has ({mebibytes(facts.size)}); a full disk stops all moves"
        yield make_finding("disk", "problem", what, why, f"du -xh {shlex.quote(facts.folder)} | sort -h | tail")
    elif facts.free_size < USUAL_FREE_SHARE * facts.disk_size:
        why = f"that is less than {USUAL_FREE_SHARE:.0%}, and a full disk stops all moves"
        yield make_finding("disk", "remark", what, why, f"du -xh {shlex.quote(facts.folder)} | sort -h | tail")
    for left_over_folder in facts.left_over_folders:
        why = "a program was stopped while it made a store or a backup; the folder only takes up space"
        yield make_finding(
            "disk", "remark", f"{left_over_folder} was left over", why, f"rm -r {shlex.quote(left_over_folder)}"
        )


def judge_journal(facts: FileFacts, journal: JournalFacts) -> Iterator[HealthFinding]:
    """Judges whether the file can be written, and its write-ahead log."""
    quoted_file = shlex.quote(facts.file)
    if "locked" in journal.refusal:
        why = "another program holds its write lock, so no move can be stored"
        yield make_finding("journal", "problem", f"{facts.file} is locked", why, f"fuser -v {quoted_file}")
    elif journal.refusal:
        why = f"SQLite says: {journal.refusal}"
        yield make_finding("journal", "problem", f"{facts.file} can't be written", why, f"ls -l {quoted_file}*")
    elif journal.mode != "wal":
        what = f"{facts.file} has the journal mode {journal.mode}"
        why = "readers and writers wait for each other: Zim makes stores with a write-ahead log"
        yield make_finding("journal", "problem", what, why, f"sqlite3 {quoted_file} 'PRAGMA journal_mode = wal'")
    if facts.link_count > 1:
        why = "a program that opens it by another name has another write-ahead log: moves get lost"
        what = f"{facts.file} has {facts.link_count} names (hard links)"
        yield make_finding("journal", "problem", what, why, f"find / -xdev -samefile {quoted_file}")
    for process in facts.users_of_old_file:
        why = "the store was replaced under it, so it can store no move: start it again"
        what = f"process {process} has the file open that was {facts.file} before"
        yield make_finding("journal", "problem", what, why, f"ps -fp {process}")
    if facts.is_mounted:
        why = "its write-ahead log is not in that mount, so moves get lost: mount the folder instead"
        yield make_finding("journal", "problem", f"{facts.file} is mounted by itself", why, "findmnt")
    if facts.file_system.startswith(NETWORK_FILE_SYSTEMS):
        why = "a write-ahead log needs shared memory, which machines do not share: the file can be damaged"
        hints = ("backup /LOCAL/FOLDER/games.db --open", "zim --store postgresql://HOST/DATABASE db init")
        yield make_finding("journal", "problem", f"{facts.file} is on {facts.file_system}", why, *hints)
    if facts.log_size and not journal.log_size and not journal.refusal:
        what = f"{mebibytes(facts.log_size)} of moves were only in {facts.file}-wal"
        why = "a program had ended without closing the store; they are in the file now, nothing is lost"
        yield make_finding("journal", "remark", what, why, "db check")


def judge_objects(url: str, objects: Sequence[tuple[str, str]]) -> Iterator[HealthFinding]:
    """Judges what the database has besides a store's tables, by kind and name. A trigger would run with each write."""
    for kind, name in objects:
        what = f"the database has a foreign {kind}, {name!r}"
        if kind == "trigger":
            hint = f"zim --store {shlex.quote(url)} db salvage sqlite:///NEW.db --open"
            yield make_finding("objects", "problem", what, "it would run with each write, so Zim writes nothing", hint)
        else:
            yield make_finding("objects", "remark", what, "Zim has not made it, and never uses it", "db check")


def mebibytes(byte_count: int) -> str:
    """A size in MiB.

    >>> mebibytes(3 << 20), mebibytes(100)
    ('3 MiB', 'less than 1 MiB')
    """
    return f"{byte_count >> 20:,} MiB" if byte_count >> 20 else "less than 1 MiB"
