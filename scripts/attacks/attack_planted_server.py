"""Faults of the server and of ids: what tokens, seats, delays and retries rest on."""

from __future__ import annotations

from typing import Any

from scripts.attacks.planted_code import replace_code


def answer_any_author() -> None:
    """A request with an id that another author has used gets the answer to that."""
    from zimcore.service.records import idempotency

    replace_code(idempotency, "check_same_write", "(key.id, author)", "(key.id, seal.by)")


def answer_any_request() -> None:
    """A request with an id that was used for another request gets the answer to that."""
    from zimcore.service.records import idempotency

    replace_code(idempotency, "check_same_write", "not is_digest_of(key, seal.request)", "False")


def accept_expired_tokens() -> None:
    """A token is valid for ever."""
    from zimcore.service.records.memberships import Grant

    Grant.is_valid = lambda *_: True  # type: ignore[method-assign]


def accept_revoked_tokens() -> None:
    """A revoked token stays valid."""
    from zimcore.service.records.memberships import Members

    replace_code(Members, "after", "return self._without_grants([id])", "return self")


def let_leavers_stay() -> None:
    """The token of a player who has left stays valid."""
    from zimcore.service.records.memberships import Members

    replace_code(Members, "after", "if each.seat == seat\n", "if False\n")


def let_readers_write() -> None:
    """A token that only reads may write."""
    from zimcore.server.people.access import Visitor

    Visitor.check_may_write = lambda self: None  # type: ignore[method-assign]


def take_links_for_tokens() -> None:
    """A link is a token of its seat."""
    from zimcore.server.people import access

    replace_code(access, "_valid_grant", "grant.offered or ", "")


def let_seats_write_for_others() -> None:
    """A seat may change what belongs to another seat."""
    from zimcore.features.departures import actions
    from zimcore.server.people import access

    replace_code(access, "check_access", 'visitor.seat != path_values["seat"]', "False")
    replace_code(actions, "_seat_to_leave", "call.viewer.seat != seat", "False")


def show_present_without_token() -> None:
    """A visitor without a token sees a public game without its delay."""
    from zimcore.server.people import access

    replace_code(access, "sees_with_delay", 'grant.role == "spectator"', 'grant.role == "spectator" and grant.id')


def count_delay_short() -> None:
    """A delay of some moves is one move short."""
    from event_store.delayed import DelayedStore

    old_code = "commit_indexes[-self._commit_count]"
    replace_code(DelayedStore, "_old_entries", old_code, "[*commit_indexes, end][-self._commit_count]")


def delay_no_streams() -> None:
    """Several streams that are read at once are read without the delay."""
    from event_store.delayed import DelayedStore
    from event_store.store import EventStore

    def read_streams(self: DelayedStore, revisions_by_stream: Any) -> Any:
        return EventStore.read_streams(self, revisions_by_stream)

    DelayedStore.read_streams = read_streams  # type: ignore[method-assign]
