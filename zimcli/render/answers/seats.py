"""Renders tokens, seats, links and notifications of served games."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.clocks import time_left
from zimcli.render.spans import Block, Note, Screen, Sheet
from zimcli.shell.program_name import program_name
from zimcore.documents.seats import (
    GameAnswer,
    HostAnswer,
    InviteAnswer,
    JoinAnswer,
    NoticesAnswer,
    SeatInfo,
    SeatsAnswer,
    TokenAnswer,
    TokensAnswer,
)
from zimcore.game import Table
from zimcore.service.lines.clocks import Clock
from zimcore.toolkit.addresses import is_this_machine
from zimcore.toolkit.words import numbered


def token_blocks(answer: TokenAnswer, _: Screen) -> Iterator[Block]:
    """A new token. It is shown only once."""
    yield [(answer.token, "bold")]
    grant = answer.about
    expiry_text = f", until {grant.until:%Y-%m-%d %H:%M} UTC" if grant.until else ""
    yield Note(f"shown only once: the {grant.role} token of {grant.name} (id {grant.id}{expiry_text})")


def tokens_blocks(answer: TokensAnswer, _: Screen) -> Iterator[Block]:
    """A list of tokens."""
    rows = tuple(
        (
            token.id,
            token.name,
            token.role,
            " ".join(token.scopes),
            f"{token.given:%Y-%m-%d}" if token.given else "",
            f"{token.until:%Y-%m-%d %H:%M}" if token.until else "",
        )
        for token in answer.tokens
    )
    headings = ("id", "name", "role", "for", "since", "until (UTC)")
    yield Sheet(Table("", headings, rows)) if rows else Note("there are no tokens: serve token NAME")


def seats_blocks(answer: SeatsAnswer, screen: Screen) -> Iterator[Block]:
    """The players and their seats, and whether the game is dealt."""
    yield from seat_table(answer.host, answer.seats)
    if not answer.dealt:
        free_seat = next((each.seat for each in answer.seats if not each.by), "")
        command = f"invite {answer.game} {free_seat}" if free_seat else f"deal {answer.game}"
        hint = command if screen.in_session else f"{program_name()} {command}"
        yield Note(f"{answer.game} is not dealt yet: that happens when all have sat down; try: {hint}")
    if answer.ended:
        yield Note("the players have ended it")
    if answer.house:
        rules_text = " ".join(f"{option}={text}" for option, text in sorted(answer.house.items()))
        yield Note(f"house rules, to which all who sit down agree: {rules_text}")
    for key, text in answer.terms.items():
        yield Note(
            TERM_TEXTS.get(key, f"{key}: {{}}").format(numbered(int(text), "move") if text.isdecimal() else text)
        )


TERM_TEXTS = {
    "delay": "spectators see it {} late",
    "pace": "a turn is to take no more than {}",
    "bank": "each seat has {} more, once",
}
"""What each of the terms means, in words."""


def game_blocks(answer: GameAnswer, _: Screen) -> Iterator[Block]:
    """The state of a game, and its players."""
    yield [(answer.game.name, "bold"), (f"  {answer.game.status}", "")]
    yield from seat_table(answer.host, answer.seats)


def seat_table(host: str, seats: tuple[SeatInfo, ...]) -> Iterator[Block]:
    """The host and the seats."""
    yield [(f"hosted by {host}", "")]
    owners = tuple(each.seat for each in seats)
    rows = tuple((each.seat, each.by + " (a program)" * each.bot, each.key[:16]) for each in seats)
    if not any(each.due for each in seats):
        yield Sheet(Table("", ("seat", "who", "key"), rows, owners))
        return
    clock_texts = [time_left(Clock(each.paced, each.due)) if each.paced and each.due else "" for each in seats]
    timed_rows = tuple((*row, clock) for row, clock in zip(rows, clock_texts, strict=True))
    yield Sheet(Table("", ("seat", "who", "key", "time"), timed_rows, owners))


def notices_blocks(answer: NoticesAnswer, _: Screen) -> Iterator[Block]:
    """How you are notified, and how you could be."""
    values = " ".join(f"{key}={value}" for key, value in answer.values.items())
    yield [(f"you are notified by {answer.kind} {values}".rstrip() if answer.kind else "you get no notices", "bold")]
    for kind, placeholders in answer.kinds.items():
        yield Note(f"notices {answer.game} {kind} {' '.join(f'{each}=...' for each in placeholders)}".rstrip())
    if not answer.kinds:
        yield Note("this server sends no notices")


def join_blocks(answer: JoinAnswer, screen: Screen) -> Iterator[Block]:
    """Your seat, and what to type next."""
    role = f"you play {answer.seat}" if answer.seat else f"you are {answer.role}"
    location = f"in {answer.game} on {answer.server}" if answer.game else f"on {answer.server}"
    yield [(f"{role} {location}", "")]
    if answer.server.startswith("http:") and not is_this_machine(answer.server):
        yield Note("not encrypted: anybody in that network could read your token")
    if not screen.in_session:
        yield Note(f"try: zim --store {answer.server} {f'play {answer.game}' if answer.game else 'new NAME'}")


def host_blocks(answer: HostAnswer, screen: Screen) -> Iterator[Block]:
    """The server's address, the seats already taken, and a link for each of the others."""
    yield [(f"{answer.game} is served at {answer.url} until Ctrl-C", "")]
    yield from ([(f"{bot} plays {seat}", "")] for seat, bot in answer.bots.items())
    if answer.seat:
        yield [(f"you play {answer.seat}; in another terminal:", "")]
        yield [(f"  {program_name()} --store {answer.server} play {answer.game}", "bold")]
    has_qr_codes = screen.has_glyphs and screen.size() and not is_this_machine(answer.url)
    if answer.own_link:
        yield [("or in your browser; this link works once, within a day:", "")]
        yield [(answer.own_link, "bold")]
        if has_qr_codes:
            yield from ([(row, "bright_white on black")] for row in draw_qr_code(answer.own_link))
    for seat, link in answer.links.items():
        yield []
        yield [(f"{seat} is free; this link works once:", "")]
        yield [(link, "bold")]  # in one piece, so that it can be copied
        if has_qr_codes:
            yield from ([(row, "bright_white on black")] for row in draw_qr_code(link))
    if answer.links:
        yield []
        yield [("A friend opens it in a browser, or types in a terminal: zim join LINK", "")]
        if is_this_machine(answer.url):
            yield Note("only this machine reaches that address: see --lan and --url")


def draw_qr_code(link: str) -> list[str]:
    """A link as a QR code, light on dark. Each line of text has two rows of the code."""
    from io import StringIO

    import segno

    buffer = StringIO()
    segno.make(link, error="l", micro=False).terminal(buffer, border=2, compact=True)
    return buffer.getvalue().splitlines()


def invite_blocks(answer: InviteAnswer, _: Screen) -> Iterator[Block]:
    """A link, and what it is for."""
    yield [(answer.link, "bold")]
    grant = answer.about
    expiry_text = f", until {grant.until:%Y-%m-%d %H:%M} UTC" if grant.until else ""
    use_note = ", once" if grant.link else ""
    yield Note(
        f"anyone who types zim join and this is {grant.seat or f'a {grant.role}'}"
        f" in {answer.game}{use_note}{expiry_text}"
    )


RENDERERS: Renderers = {
    NoticesAnswer: notices_blocks,
    TokenAnswer: token_blocks,
    TokensAnswer: tokens_blocks,
    SeatsAnswer: seats_blocks,
    GameAnswer: game_blocks,
    JoinAnswer: join_blocks,
    HostAnswer: host_blocks,
    InviteAnswer: invite_blocks,
}
