"""A client follows the feed without polling, and misses nothing after a lost connection."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.output import DummyOutput

from tests.remote.loopback_server import LoopbackServer, log_lines
from tests.timeouts import PATIENCE
from zimcli.output.output import Output
from zimcli.repl.loop import Conversation
from zimcli.session.session import Session
from zimcli.settings.config import Config
from zimcli.table.app import build_app
from zimcli.table.controller import TableController
from zimcli.table.text import lines_of
from zimcore.remote import feed_follower, invitations
from zimcore.remote.service import RemoteService
from zimcore.service import Viewer


def wait_until(condition: Callable[[], object]) -> None:
    """Waits until a condition is true: the feed is followed in another thread."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "nothing came from the feed"
        time.sleep(0.01)


def test_a_follower_asks_only_when_something_has_happened(
    nim_server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = nim_server.sit("ann"), nim_server.sit("ben")
    ann.remote_lines.fresh_seconds = ann.remote_lines.retry_seconds = (
        1e9  # the client asks only after a message of the feed
    )
    wait_until(lambda: ann.may_have_changed("k/main"))
    requested_paths, original_get = list[str](), ann.connection.get

    def record_request(path: str, *words: str, **options: object) -> object:
        requested_paths.append(path)
        return original_get(path, *words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(ann.connection, "get", record_request)
    assert not any(ann.may_have_changed("k/main") for _ in range(100))
    assert log_lines(ann) == ["0 set up 10"]
    assert requested_paths == []
    ann.play_or_raise("k", "take 1", by="ann-player", viewer=Viewer("ann"))
    ben.play_or_raise("k", "take 2", by="ben-player", viewer=Viewer("ben"))
    wait_until(lambda: ann.may_have_changed("k/main") and len(log_lines(ann)) == 3)
    ben.say("k", "your turn", by="ben-player", viewer=Viewer("ben"))
    wait_until(lambda: ann.may_have_changed("k/main") and ann.talk("k", by="ann-player"))
    assert set(requested_paths) == {"/v1/games/k/lines/main/entries"}


def test_a_follower_gets_the_moves_it_missed_after_a_drop(
    nim_server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_follower, "FIRST_RETRY_SECONDS", 0.02)
    ann = nim_server.sit("ann")
    ann.remote_lines.retry_seconds = 1e9
    wait_until(lambda: ann.may_have_changed("k/main"))
    nim_server.stop()
    wait_until(lambda: ann.may_have_changed("k/main") and ann.offline_reason)
    assert not any(ann.may_have_changed("k/main") for _ in range(100)), "an offline server is not asked each time"
    nim_server.service.play_or_raise("k", "take 3", by="ann")
    nim_server.start()
    wait_until(lambda: ann.may_have_changed("k/main"))
    assert log_lines(ann) == ["0 set up 10", "1 take 3"]
    assert not ann.offline_reason


def test_another_line_is_followed_in_its_place(nim_server: LoopbackServer) -> None:
    ann = nim_server.sit("ann")
    wait_until(lambda: ann.may_have_changed("k/main"))
    fork_position = ann.fork("k", "idea", by="ann-player", viewer=Viewer("ann"))
    wait_until(lambda: ann.may_have_changed(fork_position.place))
    assert fork_position.place == "k/ann--idea"


class PromptPlayer:
    """A player at the prompt of the game."""

    def __init__(self, service: RemoteService, capsys: pytest.CaptureFixture[str]) -> None:
        self.session = Session(Output(), by="ann", service=service)
        self.session.set_viewer(Viewer("ann"))
        self.session.enter_position(self.session.position("k"))
        self.capsys, self.conversation = capsys, Conversation(self.session)
        self.conversation.show_news()

    def news_shown(self) -> str:
        """The news above the prompt while a line is typed."""
        if self.conversation.is_behind():
            self.conversation.show_news()
        return self.capsys.readouterr().out.strip()

    def knows_seats(self) -> bool:
        """Whether the seats are known, and were taken notice of."""
        assert not self.news_shown()
        return bool(self.conversation.discussion_news.discussion.players)


class TablePlayer:
    """A player at the table of the game."""

    def __init__(self, service: RemoteService) -> None:
        session = Session(Output(), by="ann", service=service)
        session.set_viewer(Viewer("ann"))
        session.enter_position(session.position("k"))
        self.controller = TableController(session, Config(thinking=False))
        with create_app_session(output=DummyOutput()):
            build_app(self.controller)

    def news_shown(self) -> str:
        """What is below the line after news."""
        service_thread = self.controller.service_thread
        if view := service_thread.executor.submit(service_thread.read_news).result():
            self.controller.show_news(view)
        return "\n".join("".join(text for text, _ in line) for line in lines_of(self.controller.model.answer, 80))

    def knows_seats(self) -> bool:
        """Whether the seats are known, and were taken notice of."""
        assert not self.news_shown()
        return bool(self.controller.model.view.discussion.players)

    def close(self) -> None:
        """Ends the threads of the table."""
        self.controller.service_thread.close()


def test_joining_and_leaving_are_shown_at_the_prompt_and_at_the_table(
    nim_server: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    nim_server.sit("ann")
    prompt, table = PromptPlayer(nim_server.person("ann-player"), capsys), TablePlayer(nim_server.person("ann-player"))
    wait_until(prompt.knows_seats)
    wait_until(table.knows_seats)  # players who sat there before are no news
    ben = nim_server.sit("ben")
    wait_until(lambda: prompt.news_shown() == "ben-player has joined, and plays ben")
    wait_until(lambda: table.news_shown() == "ben-player has joined, and plays ben")
    invitations.leave(ben, "k")
    wait_until(lambda: prompt.news_shown() == "ben-player has left ben")
    wait_until(lambda: table.news_shown() == "ben-player has left ben")
    table.close()
