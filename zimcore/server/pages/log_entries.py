"""The entries of logs as HTML, kept in memory: a commit never changes, so its entry is rendered once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock

from event_store.codec import encode
from zimcore.commits import Commit
from zimcore.game import Seat
from zimcore.server.pages.rendering import render_template

MAX_ENTRIES = 10_000
"""The most entries kept, about 1 kB each; the oldest is dropped."""

_entries: dict[object, str] = {}
_entries_lock = Lock()


def render_entries(
    commits: Iterable[Commit], people: Mapping[Seat, str], query_prefix: str, *, colours: Mapping[Seat, str]
) -> str:
    """The entries of commits as HTML, each kept by the commit's digest and all else that it shows.

    The events are part of that, as a viewer may see them: two viewers share an entry only if they see the same.
    A player is named at the first move of a turn; the others go on below it.
    """
    values = {"people": people, "query_prefix": query_prefix, "colours": colours}
    look, entries = ((*people.items(),), query_prefix, (*colours.items(),)), list[str]()
    before: Commit | None = None
    for commit in commits:
        goes_on = before is not None and before.seat == commit.seat and not starts_round(before)
        before = commit
        key = (commit.digest, encode(commit.events), look, goes_on)
        entry = _entries.get(key)
        if entry is None:
            entry = render_template("entry.html", commit=commit, prose=prose(commit), goes_on=goes_on, **values)
            with _entries_lock:
                _entries[key] = entry
                if len(_entries) > MAX_ENTRIES:
                    del _entries[next(iter(_entries))]
        entries.append(entry)
    return "\n".join(entries)


def starts_round(commit: Commit) -> bool:
    """Whether a round begins after a commit, or another part of a game; marks of turns, such as `r3.kilwa`, do not."""
    return any("." not in mark for mark in commit.marks)


def prose(commit: Commit) -> str:
    """A move in plain words, without its player."""
    return commit.game.notation.describe_turn(commit.events)
