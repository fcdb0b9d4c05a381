"""Who pays for a request: the account to which its time is charged in the fair queue.

For all tokens of a game its host pays: only the operator creates accounts, while a host makes any number of games and
tokens. Below the account all spectators of a game share one turn, and so do its feeds. Clients whose token is
not known yet, or who have none, share the account ""; there, each address is an asker.

This decides only the order of requests, never what a token allows.

In other words: accounting, quota owner.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from zimcore.server.people.access import Visitor
from zimcore.server.wire.tokens import id_of
from zimcore.server.work.fair_queue import Payer

NO_ACCOUNT = ""
"""The account of clients without a known one."""
MAX_KNOWN_TOKENS = 10_000
"""The most tokens whose payer is remembered; the least recently used is forgotten first."""


def payer_of(visitor: Visitor) -> Payer | None:
    """Who pays for the requests of a visitor; None for a visitor without a token."""
    match visitor.role:
        case _ if not visitor.grant.id:
            return None
        case "host":
            return Payer(visitor.name, "host")
        case "spectator":
            return Payer(account_of(visitor), f"{visitor.game}/watching")
        case _:
            return Payer(account_of(visitor), visitor.grant.id)


def feed_payer(visitor: Visitor) -> Payer:
    """Who pays for the feeds of a visitor's game."""
    return Payer(account_of(visitor), f"{visitor.game}/feed")


def account_of(visitor: Visitor) -> str:
    """The account that pays for a visitor's game: its host, or the game itself if it has none."""
    return visitor.members.host or f"/{visitor.game}"


class Payers:
    """Remembers who pays for which token, from the last request with that token. Used by several threads."""

    def __init__(self, max_tokens: int = MAX_KNOWN_TOKENS) -> None:
        self.max_tokens = max_tokens
        self._payers_by_token = OrderedDict[str, Payer]()
        self._lock = threading.Lock()

    def find(self, token: str, address: str) -> Payer:
        """Who pays for a request from `address` with `token` ("" if it has none)."""
        with self._lock:
            known_payer = self._payers_by_token.get(id_of(token)) if token else None
        return known_payer or Payer(NO_ACCOUNT, address)

    def remember_visitor(self, token: str, visitor: Visitor) -> None:
        """Remembers who pays for the valid token of a visitor."""
        self.remember(token, payer_of(visitor))

    def remember(self, token: str, payer: Payer | None) -> None:
        """Remembers who pays for a valid token; nothing for no token."""
        if payer is None or not token:
            return
        with self._lock:
            self._payers_by_token[id_of(token)] = payer
            self._payers_by_token.move_to_end(id_of(token))
            if len(self._payers_by_token) > self.max_tokens:
                self._payers_by_token.popitem(last=False)
