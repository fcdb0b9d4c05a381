"""Every number in the tutorial is true of the box, or of the position that it describes."""

from __future__ import annotations

from tests.tutorials import PlayedTutorial
from zimcore.games.africana import GAME
from zimcore.games.africana.box import box


def test_every_number_in_the_tutorial_is_true() -> None:
    tutorial = PlayedTutorial(GAME)
    start_state, drawn_state, ended_state = (tutorial.states[line] for line in ("board", "hint --plan", "end A03"))
    expeditions, limits, bonuses = start_state.map.expeditions, box().limits, box().bonuses
    a02, a03 = expeditions["A02"], expeditions["A03"]
    claims = {
        "`2>` is where the expedition on space 2 begins, `>2` where it ends.": start_state.spaces[1] == "A02",
        f"you {start_state.silver['italy']} silver, a joker and a violet card, and {limits.markers} markers": (
            sorted(start_state.hands["italy"]) == ["joker", "violet"]
        ),
        f"draw {limits.draw} cards, turn or buy pages of a book, or move": True,
        f"Draw {limits.draw}.": True,
        f"your {len(drawn_state.hands['italy'])} cards": True,
        "The expedition on space 2 goes from Timbuktu to Antananarivo.": (
            (a02.start, a02.target) == ("timbuktu", "antananarivo")
        ),
        f"with 1 of their {limits.markers} markers": True,
        "zim tutorial africana 2": True,
        "The bonus of space 2 is a card": bonuses[1].travel_cards == 1,
        f"it pays {a03.silver} silver and {a03.vp} VP": (a03.start, a03.target) == ("khartoum", "cairo"),
        f"in Antananarivo, for {a02.silver} silver and {a02.vp} VP": "italy" in ended_state.markers["A02"],
    }
    assert list(tutorial.unproven_claims(claims)) == []
    assert ended_state.silver["italy"] == start_state.silver["italy"] + a03.silver


def test_colours_are_those_of_the_map() -> None:
    symbols_by_place = {location.name: location.symbols for location in box().locations}
    assert symbols_by_place["timbuktu"] == ("violet",)
    assert "gray" in symbols_by_place["aswan"]
    assert "gray" in symbols_by_place["cairo"]
    assert "magenta" in symbols_by_place["aswan"]
    assert "magenta" not in symbols_by_place["cairo"]
