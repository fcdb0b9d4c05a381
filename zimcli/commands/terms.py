"""Show the terms of a game on a server, or change them.

delay is how late spectators see it: delay=10 is so many moves, delay=2h a time. When the game is over they see all.
pace is how long a turn is to take, bank what each seat has once beyond that: pace=3d bank=7d. Who is out of time is
shown by `seats`. Any of them may be none. Only the host changes them.

Example::

    zim terms kilwa-7 delay=10 pace=3d bank=7d
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.session import Session
from zimcli.together import game_of, server
from zimcore.documents.seats import SeatsAnswer, Terms
from zimcore.game import OptionError
from zimcore.service.terms import KEYS


@placed(__doc__)
@argument("words", nargs=-1, metavar="[delay=...] [pace=...] [bank=...]")
def command(session: Session, place: str, words: tuple[str, ...]) -> SeatsAnswer:
    """Asks the server, or tells it."""
    service, match = server(session, "terms"), game_of(place)
    from zimcore.remote.members import agree, seats

    return agree(service, match, read(words)) if words else seats(service, match)


def read(words: tuple[str, ...]) -> Terms:
    """The terms in some words. Raises `OptionError`."""
    said = dict[str, str]()
    for word in words:
        key, equals, text = word.partition("=")
        if key not in KEYS or not equals or key in said:
            raise OptionError(word, "terms are delay, pace and bank, each said once", ["terms ... delay=10 pace=3d"])
        said[key] = text
    return Terms(**said)
