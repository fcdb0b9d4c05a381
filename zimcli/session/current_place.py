"""The current place of an open session, while other people rename, remove or delete what it is on."""

from __future__ import annotations

from zimcli.session.session import Session


def follow_current_line(session: Session) -> str:
    """Moves the session on if its line or its game has lost its name. Returns a note that says so; "" if it has not.

    A renamed line is followed; from a removed one the session goes to the user's current line. If the game was deleted,
    the session is in no game any more. On a server the error of the next request says the same.
    """
    position, service = session.current, session.local_service
    if position is None or service is None:
        return ""
    match, line = position.match, position.line
    if match not in service.game_names():
        session.leave_game(match)
        return f"{match} was deleted; to restore it: delete {match} --back"
    names = service.names(match)
    if line in names.lines:
        return ""
    session.forget_question()
    new_name = names.name_of(names.stream_of(line))
    session.enter_position(session.head(f"{match}/{new_name}" if new_name else session.place_with_line(match)))
    return f"{line} is called {new_name} now" if new_name else f"{line} was removed; you are on {session.place} now"
