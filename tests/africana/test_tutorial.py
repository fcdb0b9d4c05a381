"""Every number that the tutorial says is that of the box, or of the position in which it says it."""

from __future__ import annotations

from tests.tutorials import Told
from zimcore.games.africana import GAME
from zimcore.games.africana.box import box


def test_every_number_in_it_is_so() -> None:
    tutorial = Told(GAME)
    begun, drawn, ended = (tutorial.states[line] for line in ("board", "plan", "end A03"))
    expeditions, limits, bonuses = begun.map.expeditions, box().limits, box().bonuses
    a02, a03 = expeditions["A02"], expeditions["A03"]
    claims = {
        "`2>` is where the expedition on space 2 begins, `>2` where it ends.": begun.spaces[1] == "A02",
        f"you {begun.silver['italy']} silver, a joker and a violet card, and {limits.markers} markers": (
            sorted(begun.hands["italy"]) == ["joker", "violet"]
        ),
        f"draw {limits.draw} cards, turn or buy pages of a book, or move": True,
        f"Draw {limits.draw}.": True,
        f"your {len(drawn.hands['italy'])} cards": True,
        "The expedition on space 2 goes from Timbuktu to Antananarivo.": (
            (a02.start, a02.target) == ("timbuktu", "antananarivo")
        ),
        f"with 1 of their {limits.markers} markers": True,
        "The bonus of space 2 is a card": bonuses[1].travel_cards == 1,
        f"it pays {a03.silver} silver and {a03.vp} VP": (a03.start, a03.target) == ("khartoum", "cairo"),
        f"in Antananarivo, for {a02.silver} silver and {a02.vp} VP": "italy" in ended.markers["A02"],
    }
    assert list(tutorial.unproven(claims)) == []
    assert ended.silver["italy"] == begun.silver["italy"] + a03.silver


def test_colours_are_those_of_the_map() -> None:
    at = {location.name: location.symbols for location in box().locations}
    assert at["timbuktu"] == ("violet",)
    assert "gray" in at["aswan"]
    assert "gray" in at["cairo"]
    assert "magenta" in at["aswan"]
    assert "magenta" not in at["cairo"]
