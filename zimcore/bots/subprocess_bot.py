"""Runs other people's bots in subprocesses: a bot that hangs, exits or changes its view does no harm.

The two processes exchange `frames`. Requests are pickles; replies are never unpickled, but decoded as commands of the
game. Anything that the bot prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from traceback import extract_tb
from typing import BinaryIO, NoReturn, cast

import msgspec

from zimcore.bots.bot import FAILURE_HINTS, Bot, Choice, View
from zimcore.bots.frames import read_frames, take_standard_streams, to_frame
from zimcore.game import GameError, Played

THINKING_SECONDS = 60.0
"""The most seconds for a command: a budget of positions can't be enforced."""
WAIT_SECONDS = 0.2
"""How often `on_wait` is called while a bot thinks."""
LOADING_HINTS = ("help arena",)
"""What to type about a bot that can't be loaded: it plays in no game yet."""
BOOTSTRAP_CODE = "from zimcore.bots.subprocess_bot import main; main()"


class BotReply(msgspec.Struct, omit_defaults=True):
    """The reply of a bot: its command, as an encoded `Played`, and the reason; or an error."""

    played: msgspec.Raw = msgspec.Raw()
    why: str = ""
    error: str = ""


def public_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without the variables that hold our stores and passwords.

    >>> public_environment({"PATH": "/bin", "ZIM_STORE": "postgresql://zim:secret@db/zim", "PGPASSWORD": "secret"})
    {'PATH': '/bin'}
    """
    return {name: value for name, value in environment.items() if not name.startswith(("ZIM_", "PG"))}


class SubprocessBot:
    """A bot in a subprocess, named by its module and class: `my_bot:Greedy`. The first call starts the process.

    It may think for at most `max_seconds` of wall-clock time, at the process priority `nice`. It is a `Waiter`.
    """

    def __init__(self, location: str, max_seconds: float = THINKING_SECONDS, nice: int = 0) -> None:
        self.location = location
        self.nice = nice
        self.max_seconds = max_seconds
        self.on_wait: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._owner = 0

    def load(self) -> None:
        """Starts the process. Raises `GameError` if the bot can't be loaded."""
        with self._locked_process():
            self._ensure_running()

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The bot's choice. Raises `GameError` if it fails, hangs or exits."""
        with self._locked_process():
            self._ensure_running()
            reply = self._ask(pickle.dumps((view, nodes, rng)))
        problem = f"the bot of {view.seat}, {self.location}, has failed"
        if reply.error:
            raise GameError(problem, reply.error, FAILURE_HINTS)
        try:
            played_event = msgspec.msgpack.decode(reply.played, type=view.game.evolution.EVENTS[0])
        except msgspec.ValidationError as error:
            raise GameError(problem, f"it returned no command: {error}", FAILURE_HINTS) from error
        return Choice(cast(Played, played_event).command, reply.why)

    def close(self) -> None:
        """Stops the process."""
        process, self._process = self._process, None
        if process and self._owner == os.getpid():
            process.kill()
            process.wait()
            with contextlib.suppress(OSError):
                cast(BinaryIO, process.stdin).close()

    @contextlib.contextmanager
    def _locked_process(self) -> Iterator[None]:
        """Lets one thread at a time use the process, which is stopped after an error, or Ctrl-C at any moment."""
        with self._lock:
            try:
                yield
            except BaseException:  # Ctrl-C, too: the answer is not needed any more
                self.close()
                raise

    def _ensure_running(self) -> None:
        if self._process and self._owner == os.getpid() and self._process.poll() is None:
            return
        self.close()
        # A session of its own: Ctrl-C goes to this process only, which then stops the bot.
        self._process = subprocess.Popen(  # noqa: S603 - the user has named this program as a bot
            [sys.executable, "-P", "-c", BOOTSTRAP_CODE, self.location, str(self.nice)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**public_environment(os.environ), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )
        self._owner = os.getpid()
        self._replies = queue.SimpleQueue()
        threading.Thread(target=read_replies, args=(self._process.stdout, self._replies), daemon=True).start()
        reply = self._ask(b"")
        if reply.error:
            raise GameError(f"the bot {self.location} can't be loaded", reply.error, LOADING_HINTS)

    def _ask(self, request: bytes) -> BotReply:
        process = self._process
        assert process
        assert process.stdin
        try:
            process.stdin.write(to_frame(request))
            process.stdin.flush()
            return msgspec.msgpack.decode(self._next_reply(time.monotonic() + self.max_seconds), type=BotReply)
        except (BrokenPipeError, EOFError) as error:
            raise GameError(f"the bot {self.location} stopped", "it exited without an answer", FAILURE_HINTS) from error
        except TimeoutError as error:
            why = f"it has not answered for {self.max_seconds:g} seconds, and was stopped"
            raise GameError(f"the bot {self.location} hangs", why, FAILURE_HINTS) from error

    def _next_reply(self, deadline: float) -> bytes:
        """The next reply until the moment `deadline` of the monotonic clock."""
        while True:
            seconds_left = deadline - time.monotonic()
            try:
                reply = self._replies.get(timeout=max(min(seconds_left, WAIT_SECONDS), 0))
            except queue.Empty:
                if seconds_left <= 0:
                    raise TimeoutError from None
                self.on_wait()
                continue
            if reply is None:
                raise EOFError
            return reply


def read_replies(stream: BinaryIO, replies: queue.SimpleQueue[bytes | None]) -> None:
    """Puts the frames of a stream into a queue, then None. Only a thread can wait for a pipe on every system."""
    with stream:
        for content in read_frames(stream):
            replies.put(content)
    replies.put(None)


def main() -> NoReturn:
    """The process of a bot: answers requests until its input ends."""
    frames = take_standard_streams(int(sys.argv[2]))
    bot: Bot | None = None
    while True:
        request = frames.next_request()
        try:
            if bot is None:
                bot, reply = load_bot(sys.argv[1]), BotReply()
            else:
                reply = answer_view(bot, *pickle.loads(request))  # noqa: S301 - from the process that began this one
        except BaseException as error:  # a bot may raise anything, `SystemExit` included
            reply = BotReply(error=f"{type(error).__name__}: {error}{raised_at(error)}")
        with contextlib.suppress(BrokenPipeError):  # Zim has ended meanwhile; then there is no next request
            frames.send_reply(msgspec.msgpack.encode(reply))


def raised_at(error: BaseException) -> str:
    """The file and line that raised an error, for the author of a bot; "" for an error of this module."""
    last_frame = extract_tb(error.__traceback__)[-1]
    return "" if last_frame.filename == __file__ else f" ({Path(last_frame.filename).name}, line {last_frame.lineno})"


def load_bot(location: str) -> Bot:
    """The bot that a module and class name: `my_bot:Greedy`. Raises `TypeError` before it calls what is no bot.

    Raises `ModuleNotFoundError` that says where modules are looked for.
    """
    from importlib import import_module

    module_name, _, name = location.partition(":")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # another module, which the author's own imports
        where = "in installed packages and in the folders of PYTHONPATH; 'PYTHONPATH=. zim ...' adds this folder"
        raise ModuleNotFoundError(f"no module {error.name} {where}") from None
    bot_class = getattr(module, name)
    if not isinstance(bot_class, type) or not callable(getattr(bot_class, "choose", None)):
        raise TypeError(f"{name} is no bot: a bot is a class with a method choose(view, nodes, rng)")
    return cast(Bot, bot_class())


def answer_view(bot: Bot, view: View, nodes: int, rng: Random) -> BotReply:
    """The reply of a bot to a view."""
    choice = bot.choose(view, nodes, rng)
    if not isinstance(choice, Choice):
        return BotReply(error=f"it returned {choice!r:.80}, not a Choice")
    played_event = view.game.evolution.EVENTS[0](seat=view.seat, command=choice.command)
    return BotReply(msgspec.Raw(msgspec.msgpack.encode(played_event)), str(choice.why))
