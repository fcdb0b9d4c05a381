"""Keys of our own: `?` explains what is being typed, without ending the line."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.application.current import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from zimcli.registry import BY_NAME
from zimcli.session import Session

MOST = 24
"""Lines of an explanation: as many as leave the prompt on the screen."""


@Condition
def something_is_typed() -> bool:
    """A `?` that begins a line is typed as it is: `?log`."""
    return bool(get_app().current_buffer.document.current_line_before_cursor.strip())


def bindings(session: Session, run: Callable[[str], None]) -> KeyBindings:
    """The keys; `run` does a line and shows what goes wrong."""
    keys = KeyBindings()

    @keys.add("?", filter=something_is_typed)
    def _explain(event: KeyPressEvent) -> None:
        typed = event.current_buffer.document.current_line_before_cursor
        run_in_terminal(lambda: run(question(session, typed)))

    return keys


def question(session: Session, typed: str) -> str:
    """The line that explains what is being typed.

    >>> from zimcli.output import Output
    >>> question(Session(Output()), "log @r4")
    'help log'
    """
    words = typed.split()
    if words[0] in BY_NAME and words[0] not in ("legal", "try", "do", "rules"):
        return f"help {words[0]}"
    if words[-1].upper().startswith("R-"):
        return f"rules {words[-1]}"
    beginning = " ".join(words[1:] if words[0] in BY_NAME else words)
    return f"legal {beginning} --most {MOST}" if session.here else "help"
