"""Judges a store in a file for `zim doctor`: rights, disk space, journal. Each function yields its findings."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from event_store.backends.sqlite_health import FileFacts, JournalFacts
from zimcore.documents.health import HealthFinding, Level
from zimcore.service.health_checks import finding

OTHERS_READ, OTHERS_WRITE, STICKY = 0o004, 0o002, 0o1000
MIN_FREE = 100 << 20
"""Bytes that a disk must have free."""
USUAL_FREE = 0.1
"""The part of a disk that should be free."""
OVER_THE_NETWORK = ("nfs", "cifs", "smb", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs")
"""How the names of file systems begin on which a write-ahead log is not safe."""


def judge_rights(facts: FileFacts, is_served: Callable[[], bool]) -> Iterator[HealthFinding]:
    """Judges who else may read and write the file. In a store that is not served reading it is no secret."""
    file, folder = shlex.quote(facts.file), shlex.quote(facts.folder)
    if facts.reachable and facts.mode & OTHERS_WRITE:
        why = "any user of this machine can change moves and give themselves a seat"
        yield finding("rights", "problem", f"others may write {facts.file}", why, f"chmod 600 {file}")
    elif facts.reachable and facts.mode & OTHERS_READ:
        level: Level = "problem" if is_served() else "remark"
        why = "it contains hidden cards and chat, which any user of this machine can read"
        yield finding("rights", level, f"others may read {facts.file}", why, f"chmod 600 {file}")
    if facts.reachable and facts.folder_mode & OTHERS_WRITE and not facts.folder_mode & STICKY:
        why = "any user of this machine can replace the store with another file"
        yield finding("rights", "problem", f"others may write in {facts.folder}", why, f"chmod o-w {folder}")


def judge_disk(facts: FileFacts) -> Iterator[HealthFinding]:
    """Judges free space, and folders of programs that were stopped."""
    needed = max(MIN_FREE, 2 * facts.size)
    what = f"{mebibytes(facts.free)} free on the disk of {facts.folder}"
    if facts.free < needed:
        why = f"a backup needs as much again as the store has ({mebibytes(facts.size)}); a full disk stops all moves"
        yield finding("disk", "problem", what, why, f"du -xh {shlex.quote(facts.folder)} | sort -h | tail")
    elif facts.free < USUAL_FREE * facts.disk:
        why = f"that is less than {USUAL_FREE:.0%}, and a full disk stops all moves"
        yield finding("disk", "remark", what, why, f"du -xh {shlex.quote(facts.folder)} | sort -h | tail")
    for each in facts.left_over:
        why = "a program was stopped while it made a store or a backup; the folder only takes up space"
        yield finding("disk", "remark", f"{each} was left over", why, f"rm -r {shlex.quote(each)}")


def judge_journal(facts: FileFacts, journal: JournalFacts) -> Iterator[HealthFinding]:
    """Judges whether the file can be written, and its write-ahead log."""
    file = shlex.quote(facts.file)
    if "locked" in journal.refused:
        why = "another program holds its write lock, so no move can be stored"
        yield finding("journal", "problem", f"{facts.file} is locked", why, f"fuser -v {file}")
    elif journal.refused:
        why = f"SQLite says: {journal.refused}"
        yield finding("journal", "problem", f"{facts.file} can't be written", why, f"ls -l {file}*")
    elif journal.mode != "wal":
        what = f"{facts.file} has the journal mode {journal.mode}"
        why = "readers and writers wait for each other: Zim makes stores with a write-ahead log"
        yield finding("journal", "problem", what, why, f"sqlite3 {file} 'PRAGMA journal_mode = wal'")
    if facts.links > 1:
        why = "a program that opens it by another name has another write-ahead log: moves get lost"
        what = f"{facts.file} has {facts.links} names (hard links)"
        yield finding("journal", "problem", what, why, f"find / -xdev -samefile {file}")
    if facts.file_system.startswith(OVER_THE_NETWORK):
        why = "a write-ahead log needs shared memory, which machines do not share: the file can be damaged"
        hints = ("backup /LOCAL/FOLDER/games.db --open", "zim --store postgresql://HOST/DATABASE db init")
        yield finding("journal", "problem", f"{facts.file} is on {facts.file_system}", why, *hints)
    if facts.log and not journal.log and not journal.refused:
        what = f"{mebibytes(facts.log)} of moves were only in {facts.file}-wal"
        why = "a program had ended without closing the store; they are in the file now, nothing is lost"
        yield finding("journal", "remark", what, why, "db check")


def mebibytes(size: int) -> str:
    """A size in MiB.

    >>> mebibytes(3 << 20), mebibytes(100)
    ('3 MiB', 'less than 1 MiB')
    """
    return f"{size >> 20:,} MiB" if size >> 20 else "less than 1 MiB"
