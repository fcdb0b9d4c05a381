"""Say how you are told of games on a server while you are away.

You are told when it is your turn, when somebody asks you for something, and of the end: once each, and not while you
look. Whoever operates the server allows kinds of notices; without one it shows them. With none you are told nothing.

Example::

    zim notices kilwa-7 mail address=anna@zim.example
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.session import Session
from zimcli.together import game_of, server
from zimcore.documents.seats import NewNotices, NoticesAnswer
from zimcore.game import OptionError


@placed(__doc__)
@argument("kind", required=False)
@argument("words", nargs=-1, metavar="[KEY=VALUE]...")
def command(session: Session, place: str, kind: str | None, words: tuple[str, ...]) -> NoticesAnswer:
    """Asks the server, or tells it."""
    service, match = server(session, "notices"), game_of(place)
    if kind is None:
        return service.notices_answer(match)
    return service.notices_answer(match, NewNotices("" if kind == "none" else kind, read(words)))


def read(words: tuple[str, ...]) -> dict[str, str]:
    """What fills the holes of a kind. Raises `OptionError`."""
    found = dict[str, str]()
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise OptionError(word, "it is written as a key and a value", ["notices mail address=anna@zim.example"])
        found[key] = value
    return found
