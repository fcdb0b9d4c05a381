"""The option that is suggested for wrong players is always one that the game accepts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zimcore.game import OptionError
from zimcore.games.registry import game
from zimcore.service.records.deciding import set_up

WORDS = "kilwa zulu mutapa zuul italy france itly Ann ann bob: kilwa:Ann zulu:ann zulu: : 7"
player_words = st.sampled_from(WORDS.split())
player_texts = st.lists(player_words | st.text(max_size=5), max_size=8).map(",".join) | st.integers(-1, 10**12).map(str)


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
@given(text=player_texts)
def test_a_suggestion_can_be_played(kind: str, text: str) -> None:
    try:
        set_up(game(kind), {"players": text, "seed": "1"})
    except OptionError as error:
        (suggestion,) = error.hints
        set_up(game(kind), dict([suggestion.split("=")]) | {"seed": "1"})


@pytest.mark.parametrize(
    ("kind", "text", "suggestion"),
    [
        ("zimbabwe", "kilwa,zuul", "kilwa,zulu"),
        ("zimbabwe", "Ann,Bob", "kilwa:Ann,mutapa:Bob"),
        ("zimbabwe", "zulu:Ann,kilwa:ann", "zulu:Ann,kilwa"),
        ("zimbabwe", "", "kilwa,mutapa"),
        ("zimbabwe", "9", "5"),
        ("africana", "france,Ann", "italy,france:Ann"),
        ("africana", "1", "2"),
    ],
)
def test_a_suggestion_is_near_to_what_was_typed(kind: str, text: str, suggestion: str) -> None:
    with pytest.raises(OptionError) as error:
        set_up(game(kind), {"players": text, "seed": "1"})
    assert error.value.hints == (f"players={suggestion}",)


@pytest.mark.parametrize(
    "option", ["gods=foo", "gods=99", "specialists=x", "map=x", "order=kilwa", "vr=x", "max_rounds=0"]
)
def test_other_options_have_a_value_to_type(option: str) -> None:
    with pytest.raises(OptionError) as error:
        set_up(game("zimbabwe"), dict([option.split("=")]))
    suggestion, _ = error.value.hints
    set_up(game("zimbabwe"), dict([suggestion.split("=")]))
