"""The set-up: deals everything from options and a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from zimcore.game import Event, OptionError, Seat
from zimcore.games.africana.box import box, read_components
from zimcore.games.africana.checks import find_faults
from zimcore.games.africana.commands import SetUp
from zimcore.games.africana.components import HALVES, Components
from zimcore.games.africana.events import GameSetUp, HouseRulesChosen
from zimcore.games.africana.house import HOUSE_RULES
from zimcore.games.africana.rules.drawing import draw_cards
from zimcore.games.africana.rules.end_of_game import fill_spaces
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.rules.turn import begin_round
from zimcore.games.africana.state import State
from zimcore.toolkit import house_rules
from zimcore.toolkit.chance import chance, shuffle
from zimcore.toolkit.house_rules import chosen_rules, help_of, require_known_options
from zimcore.toolkit.player_names import corrected_players, split_player_names

OPTIONS = {
    "players": "2 to 4 (default 4): italy begins, then france, germany, england; also with names: italy:Ann,france:Bob",
    "seed": "the number that all chance follows from (default: random); if you know it, you know all cards",
    "components": "a file with the board and cards of your own, in the form of zimcore/games/africana/components.toml",
    **help_of(HOUSE_RULES),
}


def set_up_command(options: Mapping[str, str], seed: int) -> SetUp:
    """The command for a new game. Reads the file of components, if one is given. Raises `OptionError`."""
    setup_options = {name: text for name, text in options.items() if name not in ("seed", "components")}
    components = read_components(Path(options["components"]).expanduser()) if "components" in options else None
    if options.get("seed"):
        seed = _parse_seed(options["seed"])
    deal(seed, setup_options, components or box())
    return SetUp(seed, tuple(sorted(setup_options.items())), components)


def _parse_seed(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 20:
        return int(text)
    raise OptionError(f"seed={text}", "a seed is a whole number", ["seed=7"])


def deal(seed: int, options: Mapping[str, str], box: Components) -> GameSetUp:
    """Deals everything, from the seed alone (A-SETUP-02 to 07). Raises `OptionError`."""
    require_known_options(options, [*OPTIONS])
    companies = [company.name for company in box.companies]
    player_count, name_by_seat = _parse_players(options.get("players", str(box.limits.players[1])), companies, box)
    chosen_rules(HOUSE_RULES, options)
    stack, cards_removed = _shuffle_stack(seed, player_count, box)
    # In the order of the colours: storage does not keep the order of a table's entries.
    travel_cards = [colour for colour in box.colours for _ in range(box.travel_cards[colour])]
    return GameSetUp(
        seats=tuple(companies[:player_count]),
        components=box,
        pile=shuffle(travel_cards, chance(seed, "travel cards")),
        books={half: _shuffle_book(seed, half, box) for half in HALVES},
        stack=stack,
        removed=cards_removed,
        seed=seed,
        score=options.get("score", HOUSE_RULES["score"].usual),
        names=name_by_seat,
    )


def _parse_players(text: str, companies: list[str], box: Components) -> tuple[int, dict[Seat, str]]:
    """The number of players, and their names by seat."""
    try:
        players, names = split_player_names(text, companies)
        return _parse_player_count(players, companies, box), names
    except OptionError as error:
        suggestion = corrected_players(text, companies, *box.limits.players, in_order=True)
        raise OptionError(f"players={text}", error.why, [suggestion]) from None


def _parse_player_count(text: str, companies: list[str], box: Components) -> int:
    """The number of players, from a number or from companies by name, which must be the first ones (A-SETUP-08)."""
    min_players, max_players = box.limits.players
    words = text.lower().split()
    if words and words == companies[: len(words)] and min_players <= len(words) <= max_players:
        return len(words)
    if text.isascii() and text.isdigit() and min_players <= int(text) <= max_players:
        return int(text)
    raise OptionError(
        f"players={text}",
        f"the game is for {min_players} to {max_players} players, in this order: {', '.join(companies)}",
    )


def _shuffle_book(seed: int, half: str, box: Components) -> tuple[str, ...]:
    card_ids = (card.id for card in box.adventures if card.book == half)
    return shuffle(card_ids, chance(seed, f"{half} book"))


def _shuffle_stack(seed: int, player_count: int, box: Components) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stack, and the expeditions removed unseen from its last pile (A-SETUP-03 to 05)."""
    piles = [
        shuffle((card.id for card in box.expeditions if card.back == back), chance(seed, f"expeditions {back}"))
        for back in box.backs
    ]
    removed_count = box.removed[str(player_count)]
    removed_cards, piles[-1] = piles[-1][:removed_count], piles[-1][removed_count:]
    return tuple(card for pile in reversed(piles) for card in pile), removed_cards


@guard("A-SETUP-01", SetUp, stage=Stage.TURN)
def nothing_is_set_up(state: State, seat: Seat, command: SetUp) -> str | None:
    """A game is set up only once."""
    return "the game is set up already" if state.phase else None


@guard("A-SETUP-01", SetUp, stage=Stage.WORDS)
def options_make_sense(state: State, seat: Seat, command: SetUp) -> str | None:
    """The number of players, the options and the components must be valid.

    Components are checked here too, since those of a stored command did not come from a file.
    """
    if command.seed is None:
        return "the seed is hidden"
    if command.components and (component_faults := find_faults(command.components)):
        return "components: " + "; ".join(component_faults)
    try:
        deal(command.seed, dict(command.options), command.components or box())
    except OptionError as error:
        return str(error)
    return None


@decides(SetUp)
def set_up(draft: Draft, seat: Seat, command: SetUp) -> None:
    """Deals everything, lays out the first expeditions, and gives each player money and a card (A-SETUP-06 to 10)."""
    assert command.seed is not None
    setup_event = deal(command.seed, dict(command.options), command.components or box())
    draft.happen(setup_event)
    house_rules_chosen = chosen_rules(HOUSE_RULES, dict(command.options))
    house_rules_chosen.pop("score", None)  # it has a field in `GameSetUp`, since it came first
    if house_rules_chosen:
        draft.happen(HouseRulesChosen(house_rules_chosen))
    fill_spaces(draft)
    for company in setup_event.components.companies[: len(setup_event.seats)]:
        draft.earn(company.name, company.silver, "start")
        draw_cards(draft, company.name, 1)
    begin_round(draft)


def flip_house_rule(events: Sequence[Event], option: str) -> Sequence[Event]:
    """The events of a set-up with one house rule flipped."""
    return house_rules.flip_house_rule(HOUSE_RULES, HouseRulesChosen, events, option)
