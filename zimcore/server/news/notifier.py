"""Sends notices to absent players, by the kinds that the server allows: see `notice_kinds`."""

from __future__ import annotations

import logging
from collections.abc import Callable

from event_store import EventStoreError
from zimcore.game import GameError
from zimcore.server.news.background import Background
from zimcore.server.news.notice_kinds import NoticeKinds
from zimcore.server.work.workers import OpenService
from zimcore.service import GameService

log = logging.getLogger("zim.server")


class Notifier:
    """The thread that notifies absent players. `is_listening(token_id)` says whether a player is watching now."""

    def __init__(self, open_service: OpenService, kinds: NoticeKinds, is_listening: Callable[[str], bool]) -> None:
        self.kinds = kinds
        self._is_listening = is_listening
        self.background = Background("notices", open_service, self._notify_or_log)

    def wake(self, game: str) -> None:
        """Says that a game may have changed. Does nothing if the server allows no kind."""
        if self.kinds:
            self.background.enqueue(game)

    def close(self) -> None:
        """Sends nothing more. Does not wait for a notice that is being sent."""
        self.background.close()

    def _notify_or_log(self, service: GameService, game: str) -> bool:
        try:
            self.notify_players(service, game)
        except (GameError, EventStoreError) as error:
            log.warning("no notices: %s", type(error).__name__)
        except Exception as error:
            log.error("a bug in notices: %s", type(error).__name__)
        return False

    def notify_players(self, service: GameService, game: str) -> None:
        """Sends the players of a game the notices they asked for, unless they are watching."""
        if not service.has_game(game):
            return
        for seat, token_id in service.members(game).token_ids.items():
            preference = service.notices(game, token_id)
            kind = self.kinds.get(preference.kind) if preference else None
            if not preference or not kind or self._is_listening(token_id):
                continue
            for text in service.notices_due(game, seat, token_id):
                send_result = kind.send(preference.values, game, text)
                if send_result == "gone":
                    log.info("a player can't be reached any more: no more notices")
                    service.want_notices(game, "", {}, by="server", whose=token_id)
                    break
                if send_result == "failed":
                    log.warning("a notice was not sent", extra={"log_fields": {"kind": preference.kind}})
