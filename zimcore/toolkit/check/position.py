"""Checks of what the contract promises for any position, each named after the part that it checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any
from xml.etree import ElementTree

import msgspec

from zimcore.game import Accepted, Event, Game, HiddenError, NotationError, Seat, figures
from zimcore.toolkit.check.finding import Finding
from zimcore.toolkit.svg import INK, PAPER

MAX_CHECKED_COMMANDS = 25
"""The most legal commands that are checked in a position."""
MAX_LISTED_COMMANDS = 3000
"""The most legal commands that are listed, before some of them are drawn."""
GARBAGE_TEXTS = ("", " ", "nonsense", "nobody: nothing", "1 2 3", "?", "é", "bid bid bid bid bid bid")


def check_evolution(game: Game, state: Any) -> Iterator[Finding]:
    """A copy equals the state, and the seats to move agree with the outcome."""
    evolution = game.evolution
    copy = evolution.copy(state)
    if evolution.canonical(copy) != evolution.canonical(state):
        yield Finding("evolution.copy", "a copy has other canonical bytes")
    if set(evolution.to_move(state)) - set(evolution.seats(state)):
        yield Finding("evolution.to_move", "names a player that is not a seat")
    outcome = evolution.outcome(state)
    if outcome.over and evolution.to_move(state):
        yield Finding("evolution.to_move", "a seat may act after the end")
    if not outcome.over and not evolution.to_move(state):
        yield Finding("evolution.to_move", "no seat may act, and the game is not over")
    if outcome.over and not outcome.ranking:
        yield Finding("evolution.outcome", "it is over, and has no ranking")


def check_legal(game: Game, state: Any, seat: Seat, rng: Random) -> Iterator[Finding]:
    """Legal commands are exactly those accepted; counting, listing and writing them agree."""
    rules, legal_commands = game.rules, game.rules.legal(state, seat)
    listed_commands = list(islice(legal_commands, MAX_LISTED_COMMANDS))
    listed_commands = (
        rng.sample(listed_commands, MAX_CHECKED_COMMANDS)
        if len(listed_commands) > MAX_CHECKED_COMMANDS
        else listed_commands
    )
    to_move = game.evolution.to_move(state)
    may_act = seat in to_move
    if bool(listed_commands) != may_act or bool(legal_commands) != bool(listed_commands):
        problem = "has nothing that a seat may do which is to move" if may_act else "lists what a seat may not do now"
        yield Finding("rules.legal", problem)
    if len(listed_commands) < MAX_CHECKED_COMMANDS and not len(listed_commands) == legal_commands.count() == len(
        list(legal_commands.texts())
    ):
        yield Finding("rules.legal", "count(), texts() and what it goes through are not as many")
    for command in listed_commands:
        if command not in legal_commands or not isinstance(rules.decide(state, seat, command), Accepted):
            yield Finding("rules.decide", f"refuses what is legal: {game.notation.format(command)}")
        yield from check_notation(game, state, seat, command)
    waiting_seats = set(game.evolution.seats(state)) - set(to_move)
    if any(
        isinstance(rules.decide(state, other_seat, command), Accepted)
        for other_seat in waiting_seats
        for command in listed_commands[:1]
    ):
        yield Finding("rules.decide", "accepts a command of a seat that is not to move")


def check_advice(game: Game, state: Any, seat: Seat, rng: Random) -> Iterator[Finding]:
    """Advice, on all commands and on one kind: legal, canonical, without duplicates, and of the kind asked for."""
    questions, legal_commands, notation = game.questions, game.rules.legal(state, seat), game.notation
    may_act = seat in game.evolution.to_move(state)
    sampled_command = legal_commands.sample(rng) if may_act else None
    kind = notation.format(sampled_command).partition(" ")[0] if sampled_command is not None else ""
    for beginning in dict.fromkeys(("", kind)):
        texts = [suggestion.text for suggestion in questions.advice(state, seat, beginning)]
        if len(set(texts)) < len(texts):
            yield Finding("questions.advice", f"gives the same twice after {beginning!r}")
        for text in texts:
            _, command = notation.parse(text, state)
            if command not in legal_commands or notation.format(command) != text:
                yield Finding("questions.advice", f"gives what is not legal, or not in canonical form: {text}")
            if not text.startswith(beginning):
                yield Finding("questions.advice", f"gives {text} after {beginning!r}")
    if sampled_command is not None and not isinstance(questions.waste(state, seat, sampled_command), str):
        yield Finding("questions.waste", "gives a value that is not text")


def check_notation(game: Game, state: Any, seat: Seat, command: Any) -> Iterator[Finding]:
    """A formatted command parses to itself, also with its seat or in capitals; garbage is refused."""
    notation = game.notation
    text = notation.format(command)
    for typed_text, expected_seat in ((text, None), (f"{seat}: {text}", seat), (text.upper(), None)):
        if notation.parse(typed_text, state) != (expected_seat, command):
            yield Finding("notation.parse", f"{typed_text!r} is not read as what was written so")
    for garbage in GARBAGE_TEXTS:
        try:
            _, parsed_command = notation.parse(garbage, state)
        except NotationError:
            continue
        if notation.format(parsed_command) == "":
            yield Finding("notation.parse", f"takes {garbage!r} for a command")


def check_display(game: Game, state: Any, occasion: str) -> Iterator[Finding]:
    """All displays work before set-up, in the middle of a commit and for a concealed position."""
    display, evolution = game.display, game.evolution
    if not isinstance(display.status(state), str) or not display.status(state):
        yield Finding("display.status", f"says nothing {occasion}")
    try:
        msgspec.json.encode(figures(game, state))
    except TypeError as error:
        yield Finding("display.figures", f"has something that is no figure {occasion}: {error}")
    if set(display.colours(state)) < set(evolution.seats(state)):
        yield Finding("display.colours", f"leaves out a seat {occasion}")
    for table in display.tables(state):
        if any(len(row) != len(table.heads) for row in table.rows):
            yield Finding("display.tables", f"{table.title}: rows are not as long as the heads")
    board = display.board(state)
    if board and {len(row) for row in board.cells} - {len(board.columns)}:
        yield Finding("display.board", "rows are not as long as the names of the columns")
    display.toolbar(state)
    if display.turn(state) and not evolution.to_move(state):
        yield Finding("display.turn", f"has parts of a turn, and no seat is to move {occasion}")


def check_transfers(game: Game, seats: Sequence[Seat], events: Sequence[Event]) -> Iterator[Finding]:
    """Transfers are between seats or pools, of whole numbers; also from events that hide amounts."""
    for transfer in game.display.transfers(events):
        if {transfer.source, transfer.target} - {*seats, ""}:
            yield Finding("display.transfers", "names a player that is not a seat")
        if transfer.source == transfer.target:
            yield Finding("display.transfers", "pays a seat from itself")
        if transfer.amount is not None and type(transfer.amount) is not int:
            yield Finding("display.transfers", "has an amount that is no number: give None for a hidden one")


def check_questions(game: Game, state: Any) -> Iterator[Finding]:
    """Questions without words return well-formed tables, or raise an error that says what is missing."""
    questions = game.questions
    for name in questions.QUESTIONS:
        try:
            tables = questions.ask(state, name, ())
        except (NotationError, HiddenError):
            continue
        if any(len(row) != len(table.heads) for table in tables for row in table.rows):
            yield Finding("questions.ask", f"{name}: rows are not as long as the heads")


def check_art(game: Game, state: Any) -> Iterator[Finding]:
    """The art of a board is valid SVG."""
    art, board = game.art, game.display.board(state)
    if art is None or board is None:
        return
    drawings = [*art.ground(board), art.emblem(INK, PAPER)]
    styles = dict.fromkeys(game.evolution.seats(state), (INK, PAPER))
    drawings += [panel.drawing for panel in art.panels(state, styles, 640)]
    drawings += [art.piece(cell, (1, 1), INK, PAPER) for row in board.cells for cell in row if cell.role != "void"]
    try:
        ElementTree.fromstring(f"<svg>{''.join(drawings)}</svg>")  # noqa: S314 - our own text
    except ElementTree.ParseError as error:
        yield Finding("art", f"gives what is no SVG: {error}")
