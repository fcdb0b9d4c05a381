"""Parses and formats commands: words can be abbreviated on input, and output is canonical.

>>> from zimcore.games.africana.state import State
>>> parse_command("france: DRAW", State())
('france', Draw())
>>> format_command(Move("cape_town", "gray", recoloured=True))
'move cape_town gray recoloured'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zimcore.game import AmbiguousError, NotationError, Seat
from zimcore.games.africana.cards import JOKER, UNKNOWN, Card, assistant
from zimcore.games.africana.commands import (
    AnyCommand,
    Buy,
    Discard,
    Draw,
    EndAdventure,
    EndExpedition,
    EndTurn,
    Join,
    Move,
    Redeal,
    SetUp,
    TurnPage,
)
from zimcore.games.africana.components import HALVES, Half, LocationName
from zimcore.games.africana.state import SIDES, State
from zimcore.toolkit.player_names import seats_by_word
from zimcore.toolkit.words import check_not_a_letter, check_word_count, join_names, one_of

SYNTAX = {
    "draw": "draw",
    "turn": "turn left · turn north left",
    "buy": "buy left · buy south right",
    "move": "move cairo gray · move cairo gray_assistant · move cairo joker · move cairo orange recoloured",
    "join": "join A03",
    "end": "end · end A03 · end N05",
    "discard": "discard gray joker · discard N05",
}
RECOLOURED = "recoloured"


def verbs(state: State) -> Sequence[str]:
    """All verbs: a turn can have any."""
    return tuple(SYNTAX)


def parse_command(text: str, state: State) -> tuple[Seat | None, AnyCommand]:
    """The seat named in a line, if any, and its command. `move cairo` uses the only card that pays for it.

    Raises `NotationError` for text that is no command, `AmbiguousError` if there are several.
    """
    typed_text = " ".join(text.lower().split())
    seat_word, colon, command_text = typed_text.rpartition(":")
    seats = state.seats or tuple(company.name for company in state.box.companies)
    seat_by_name = seats_by_word(seats, state.names)
    seat = seat_by_name[one_of(seat_word.strip(), seat_by_name, "player")] if colon else None
    words = (command_text if colon else typed_text).split()
    if len(words) > 2:
        words = join_names(words, [*(location.name for location in state.box.locations), *_all_cards(state)])
    if not words:
        raise NotationError("no command", "nothing was typed", tuple(SYNTAX.values()))
    verb = one_of(words[0], SYNTAX, "command")
    if words == ["e"]:
        check_not_a_letter(words[0], verb)
    return seat, PARSERS[verb](words[1:], state, seat or state.actor or "")


def continues(command: str, part: str) -> bool:
    """Returns False: text after `;` is always another command."""
    return False


def _check_word_count(verb: str, words: Sequence[str], *counts: int) -> None:
    check_word_count(verb, words, counts, SYNTAX[verb])


def _parse_draw(words: Sequence[str], state: State, seat: Seat) -> Draw:
    _check_word_count("draw", words, 0)
    return Draw()


def _parse_turn(words: Sequence[str], state: State, seat: Seat) -> TurnPage:
    return TurnPage(*_parse_book_and_side("turn", words, state, seat))


def _parse_buy(words: Sequence[str], state: State, seat: Seat) -> Buy:
    return Buy(*_parse_book_and_side("buy", words, state, seat))


def _parse_book_and_side(verb: str, words: Sequence[str], state: State, seat: Seat) -> tuple[Half, str]:
    """The book and its side; the default book is that of the explorer's half of the map."""
    _check_word_count(verb, words, 1, 2)
    if len(words) == 2:
        return one_of(words[0], HALVES, "book"), one_of(words[1], SIDES, "half")
    if seat not in state.places:
        raise NotationError(" ".join((verb, *words)), "name the book", (SYNTAX[verb],))
    return state.half_of(seat), one_of(words[0], SIDES, "half")


def _parse_move(words: Sequence[str], state: State, seat: Seat) -> Move:
    _check_word_count("move", words, 1, 2, 3)
    place = one_of(words[0], [location.name for location in state.box.locations], "location")
    if len(words) == 1:
        return Move(place, _only_card(place, state, seat))
    card = UNKNOWN if words[1] == UNKNOWN else one_of(words[1], _all_cards(state), "card")
    if len(words) == 3:
        one_of(words[2], (RECOLOURED,), "way to pay")
    return Move(place, card, len(words) == 3)


def _all_cards(state: State) -> list[Card]:
    colours = state.box.colours
    return [*colours, JOKER, *map(assistant, colours)]


def _only_card(place: LocationName, state: State, seat: Seat) -> Card:
    """The only kind of card in the hand that pays for a step as it is. Raises `AmbiguousError` or `NotationError`."""
    from zimcore.games.africana.rules.moving import pays_as_is

    hand = state.hands.get(seat, ())
    if UNKNOWN in hand:
        raise NotationError(f"move {place}", "name the card: part of the hand is hidden", (SYNTAX["move"],))
    cards = sorted({card for card in hand if pays_as_is(state, card, place)})
    if len(cards) == 1:
        return cards[0]
    if cards:
        raise AmbiguousError(f"move {place}", "say with which card", [f"move {place} {card}" for card in cards])
    raise NotationError(
        f"move {place}", "name the card: none in the hand pays for it without recolouring", (SYNTAX["move"],)
    )


def _parse_join(words: Sequence[str], state: State, seat: Seat) -> Join:
    _check_word_count("join", words, 1)
    return Join(_parse_id(words[0], [card.id for card in state.box.expeditions], "expedition", "join"))


def _parse_end(words: Sequence[str], state: State, seat: Seat) -> EndTurn | EndExpedition | EndAdventure:
    _check_word_count("end", words, 0, 1)
    if not words:
        return EndTurn()
    expeditions = [card.id for card in state.box.expeditions]
    card_ids = [*expeditions, *(card.id for card in state.box.adventures)]
    card_id = _parse_id(words[0], card_ids, "expedition or adventure", "end")
    return EndExpedition(card_id) if card_id in expeditions else EndAdventure(card_id)


def _parse_id(word: str, ids: Sequence[str], kind: str, verb: str) -> str:
    if word.upper() in ids:
        return word.upper()
    raise NotationError(word, f"no such {kind}; they are {ids[0]} to {ids[-1]}", (SYNTAX[verb],))


def _parse_discard(words: Sequence[str], state: State, seat: Seat) -> Discard:
    _check_word_count("discard", words, *range(1, 40))
    ids = {card.id for card in state.box.adventures}
    adventures = tuple(word.upper() for word in words if word.upper() in ids)
    cards = (word for word in words if word.upper() not in ids)
    return Discard(tuple(one_of(word, _all_cards(state), "card") for word in cards), adventures)


PARSERS: dict[str, Callable[[Sequence[str], State, Seat], AnyCommand]] = {
    "draw": _parse_draw,
    "turn": _parse_turn,
    "buy": _parse_buy,
    "move": _parse_move,
    "join": _parse_join,
    "end": _parse_end,
    "discard": _parse_discard,
}


def format_command(command: AnyCommand) -> str:
    """A command in canonical notation."""
    match command:
        case SetUp(seed=seed, options=options, components=components):
            can_be_typed = seed is not None and components is None
            words = ["new --game africana", f"seed={seed}"] if can_be_typed else ["set up"]
            return " ".join([words[0], *(f"{option}={text}" for option, text in options), *words[1:]])
        case Draw():
            return "draw"
        case TurnPage(book=book, half=half):
            return f"turn {book} {half}"
        case Buy(book=book, half=half):
            return f"buy {book} {half}"
        case Move(to=to, card=card, recoloured=recoloured):
            return f"move {to} {card}{f' {RECOLOURED}' * recoloured}"
        case Join(expedition=card_id):
            return f"join {card_id}"
        case EndExpedition(expedition=card_id) | EndAdventure(adventure=card_id):
            return f"end {card_id}"
        case Discard(cards=cards, adventures=adventures):
            return " ".join(["discard", *cards, *adventures])
        case EndTurn():
            return "end"
        case Redeal(seat=seat):
            return f"redeal for {seat}"
