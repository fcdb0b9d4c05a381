"""Key bindings: `?` explains the typed line, another key shows a hint; both keep the line. Tab waits for the menu."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.application.current import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from zimcli.repl.completion import ZimCompleter
from zimcli.repl.key_actions import keys_of
from zimcli.session.session import Session
from zimcli.shell.registry import EXPLAIN, HELP, HINT, LEGAL, RULES, SESSION_ENTRIES
from zimcore.commits import Position
from zimcore.game import GameError

CHECK_SECONDS, MAX_IDLE_CHECKS = 0.02, 4
"""Seconds between looks at the menu that Tab waits for, and the looks in which nothing works on it before Tab asks."""
MAX_LINES = 24
"""The most lines of an explanation: the prompt must stay on a screen of usual height."""


@Condition
def is_question_possible() -> bool:
    """Whether `?` explains the line. In free text, and at the beginning of a line (`?log`), it is a character."""
    line = get_app().current_buffer.document.current_line_before_cursor
    return bool(line.strip()) and not is_free_text(line)


def is_free_text(line: str) -> bool:
    """Whether what follows belongs to a text that people read, or to a question.

    >>> is_free_text("say shall we go on"), is_free_text("say"), is_free_text("craft potter")
    (True, False, False)
    """
    word, space, _ = line.lstrip().partition(" ")
    entry = SESSION_ENTRIES.get(word)
    return bool(space) and entry is not None and not {"text", "topic"}.isdisjoint(entry.argument_kinds)


@Condition
def is_menu_missing() -> bool:
    """Whether no completions are shown, or not yet."""
    state = get_app().current_buffer.complete_state
    return not (state and state.completions)


def make_bindings(
    session: Session, completer: ZimCompleter, run_line: Callable[[str], None], hint_keys: str
) -> KeyBindings:
    """The key bindings. `run_line` runs a line and shows its errors; `hint_keys` are the keys that show a hint."""
    keys = KeyBindings()

    def show_hint() -> None:
        try:
            with allow_interrupts():
                run_line(HINT.name)
        except KeyboardInterrupt:
            session.show_note("stopped")

    for key_sequence in keys_of(hint_keys):
        keys.add(*key_sequence)(lambda _: run_in_terminal(show_hint))

    @keys.add("?", filter=is_question_possible)
    def _explain(event: KeyPressEvent) -> None:
        line = event.current_buffer.document.current_line_before_cursor
        run_in_terminal(lambda: run_line(explaining_command(session, line)))

    @keys.add("tab", filter=is_menu_missing)
    async def _complete(event: KeyPressEvent) -> None:
        # prompt_toolkit forgets a Tab that comes while it works out the menu of what was just typed.
        buffer, typed_document = event.current_buffer, event.current_buffer.document
        idle_checks = 0
        while buffer.document == typed_document and idle_checks < MAX_IDLE_CHECKS:
            await asyncio.sleep(CHECK_SECONDS)
            idle_checks = 0 if completer.is_working else idle_checks + 1
            if not completer.is_working and not is_menu_missing():
                buffer.complete_next()
                return
        if buffer.document == typed_document:
            buffer.start_completion(insert_common_part=True)

    return keys


@contextmanager
def allow_interrupts() -> Iterator[None]:
    """Inside this block Ctrl-C raises `KeyboardInterrupt` at once. Otherwise the prompt's loop would get it later."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield
        return
    wakeup_fd = signal.set_wakeup_fd(-1)
    previous_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous_handler)
        signal.set_wakeup_fd(wakeup_fd)


QUESTION_WORDS = ("what", "why", "how", "who", "when", "where", "which", "may", "can")
"""Words by which a question of a beginner begins."""


def explaining_command(session: Session, line: str) -> str:
    """The command that explains the typed line.

    >>> from zimcli.output.output import Output
    >>> explaining_command(Session(Output()), "log @r4")
    'help log'
    """
    words = line.split()
    entry = SESSION_ENTRIES.get(words[0])
    if not entry and words[0].lower() in QUESTION_WORDS:
        return f"{HELP.name} {line.strip()}"
    if is_rule_code(session, words[-1]):
        return f"{RULES.name} {words[-1]}"
    if entry and "command" not in entry.argument_kinds and "words" not in entry.argument_kinds:
        return f"{HELP.name} {entry.name}"
    command_start = " ".join(words[1:] if entry else words)
    if session.current and is_whole_command(session.current, command_start):
        return f"{EXPLAIN.name} {command_start}"
    return f"{LEGAL.name} {command_start} --most {MAX_LINES}" if session.current else HELP.name


def is_whole_command(position: Position, command_start: str) -> bool:
    """Whether to explain what a text does, not how it could go on: it is a whole command, or no command begins so."""
    parse, legal_commands = position.game.notation.parse, [*islice(position.legal().texts(command_start), MAX_LINES)]
    if not legal_commands:
        return bool(command_start)
    try:
        command = parse(command_start, position.state)[1]
        return any(parse(text, position.state)[1] == command for text in legal_commands)
    except GameError:
        return False


def is_rule_code(session: Session, word: str) -> bool:
    """Whether a word begins the code of a rule in any of the games: `R-CRA`, `A-MOVE-02`."""
    return "-" in word and any(rule.code.startswith(word.upper()) for rule in session.all_rules)
