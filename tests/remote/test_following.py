"""A client follows the feed without polling, and misses nothing after a lost connection."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.output import DummyOutput

from tests.remote.loopback_server import LoopbackServer, texts
from zimcli.config import Config
from zimcli.output import Output
from zimcli.repl.loop import Conversation
from zimcli.session import Session
from zimcli.table.app import build_app
from zimcli.table.controller import TableController
from zimcli.table.text import lines_of
from zimcore.remote import feed_follower, invitations
from zimcore.remote.service import RemoteService
from zimcore.service import Viewer


def until(condition: Callable[[], object]) -> None:
    """Waits for what the feed says, in a thread of its own."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "nothing was heard"
        time.sleep(0.01)


def test_who_follows_asks_only_when_something_has_happened(
    nim: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = nim.sit("ann"), nim.sit("ben")
    ann.remote.fresh = ann.remote.again = 1e9  # else nothing is asked for
    until(lambda: ann.may_have_changed("k/main"))
    questions, get = list[str](), ann.connection.get

    def count_questions(path: str, *words: str, **more: object) -> object:
        questions.append(path)
        return get(path, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(ann.connection, "get", count_questions)
    assert not any(ann.may_have_changed("k/main") for _ in range(100))
    assert texts(ann) == ["0 set up 10"]
    assert questions == []
    ann.play_or_raise("k", "take 1", by="ann-player", viewer=Viewer("ann"))
    ben.play_or_raise("k", "take 2", by="ben-player", viewer=Viewer("ben"))
    until(lambda: ann.may_have_changed("k/main") and len(texts(ann)) == 3)
    ben.say("k", "your turn", by="ben-player", viewer=Viewer("ben"))
    until(lambda: ann.may_have_changed("k/main") and ann.talk("k", by="ann-player"))
    assert set(questions) == {"/v1/games/k/lines/main/entries"}


def test_who_follows_hears_after_a_drop_what_was_played_meanwhile(
    nim: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_follower, "FIRST_RETRY", 0.02)
    ann = nim.sit("ann")
    ann.remote.again = 1e9
    until(lambda: ann.may_have_changed("k/main"))
    nim.stop()
    until(lambda: ann.may_have_changed("k/main") and ann.offline_reason)
    assert not any(ann.may_have_changed("k/main") for _ in range(100)), "it is not waited for again and again"
    nim.service.play_or_raise("k", "take 3", by="ann")
    nim.start()
    until(lambda: ann.may_have_changed("k/main"))
    assert texts(ann) == ["0 set up 10", "1 take 3"]
    assert not ann.offline_reason


def test_another_line_is_followed_in_its_place(nim: LoopbackServer) -> None:
    ann = nim.sit("ann")
    until(lambda: ann.may_have_changed("k/main"))
    fork = ann.fork("k", "idea", by="ann-player", viewer=Viewer("ann"))
    until(lambda: ann.may_have_changed(fork.place))
    assert fork.place == "k/ann--idea"


class Prompt:
    """A player at the prompt of the game."""

    def __init__(self, service: RemoteService, capsys: pytest.CaptureFixture[str]) -> None:
        self.session = Session(Output(), by="ann", service=service)
        self.session.set_viewer(Viewer("ann"))
        self.session.enter(self.session.position("k"))
        self.capsys, self.conversation = capsys, Conversation(self.session)
        self.conversation.catch_up()

    def news_shown(self) -> str:
        """The news above the prompt while a line is typed."""
        if self.conversation.is_behind():
            self.conversation.catch_up()
        return self.capsys.readouterr().out.strip()

    def knows_seats(self) -> bool:
        """Whether the seats are known, and were taken notice of."""
        assert not self.news_shown()
        return bool(self.conversation.discussion_news.discussion.players)


class Table:
    """A player at the table of the game."""

    def __init__(self, service: RemoteService) -> None:
        session = Session(Output(), by="ann", service=service)
        session.set_viewer(Viewer("ann"))
        session.enter(session.position("k"))
        self.controller = TableController(session, Config(thinking=False))
        with create_app_session(output=DummyOutput()):
            build_app(self.controller)

    def news_shown(self) -> str:
        """What is below the line after news."""
        thread = self.controller.service_thread
        if view := thread.thread.submit(thread.read_news).result():
            self.controller.show_news(view)
        return "\n".join("".join(text for text, _ in line) for line in lines_of(self.controller.model.answer, 80))

    def knows_seats(self) -> bool:
        """Whether the seats are known, and were taken notice of."""
        assert not self.news_shown()
        return bool(self.controller.model.view.discussion.players)

    def close(self) -> None:
        """Ends its threads."""
        self.controller.service_thread.close()


def test_who_joins_and_leaves_is_said_at_the_prompt_and_at_the_table(
    nim: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    nim.sit("ann")
    prompt, table = Prompt(nim.person("ann-player"), capsys), Table(nim.person("ann-player"))
    until(prompt.knows_seats)
    until(table.knows_seats)  # who sat there before is no news
    ben = nim.sit("ben")
    until(lambda: prompt.news_shown() == "ben-player has joined, and plays ben")
    until(lambda: table.news_shown() == "ben-player has joined, and plays ben")
    invitations.leave(ben, "k")
    until(lambda: prompt.news_shown() == "ben-player has left ben")
    until(lambda: table.news_shown() == "ben-player has left ben")
    table.close()
