"""Several seats choose at once, and no answer shows a sealed choice."""

from __future__ import annotations

from types import ModuleType

import msgspec
import pytest

from event_store import ConflictError
from tests.toolkit.conftest import begin_souk
from zimcore.commits import Position
from zimcore.documents.positions import commit_documents, position_document
from zimcore.game import GameError, HiddenError, Refused
from zimcore.history.evaluation import ExpressionError
from zimcore.history.expression import parse
from zimcore.service import EVERYTHING, SPECTATOR, TABLE, GameService, Viewer

AMINA, BADR = Viewer("amina"), Viewer("badr")


def play_bid(service: GameService, text: str, viewer: Viewer = EVERYTHING, expected: str | None = None) -> Position:
    position = service.play("k", text, by="anna", viewer=viewer, expected=expected)
    assert isinstance(position, Position)
    return position


def test_all_seats_may_act_at_once_until_the_last_bid_reveals_all(service: GameService) -> None:
    assert service.position("k").to_move == ("amina", "badr", "dalal")
    assert service.position("k").actor is None
    assert play_bid(service, "badr: bid 2").to_move == ("amina", "dalal")
    assert play_bid(service, "amina: bid 4").actor == "dalal"
    last_position = play_bid(service, "bid 2")
    assert last_position.to_move == ("amina", "badr", "dalal")
    assert last_position.figures["amina"]["coins"] == 6


def test_a_command_names_its_seat_where_several_may_act(service: GameService) -> None:
    with pytest.raises(GameError, match="amina, badr and dalal may act now") as error:
        play_bid(service, "bid 3")
    assert error.value.hints == ("amina: bid 3", "badr: bid 3", "dalal: bid 3")
    assert play_bid(service, "badr: bid 3").commit.seat == "badr"


def test_a_viewer_at_a_seat_plays_that_seat(service: GameService) -> None:
    (position,) = service.try_("k", ["bid 3"], BADR).positions
    assert position.commit.seat == "badr"


def test_the_last_good_is_worth_as_much_as_it_says(service: GameService) -> None:
    start_state = service.position("k", EVERYTHING).state
    for _ in range(len(start_state.deck) + 1):
        position = [play_bid(service, text) for text in ("amina: bid 2", "badr: bid 1", "dalal: bid 0")][-1]
    assert position.outcome.over
    assert position.state.goods["amina"] == (start_state.worth, *start_state.deck)


def visible_documents(service: GameService, viewer: Viewer) -> str:
    """Everything that a viewer can see of the match, as documents."""
    position = service.position("k", viewer)
    commits = commit_documents(service.log("k", viewer=viewer), position.game)
    events = [position_document(position), position.figures, position.tables, position.state, *commits]
    return msgspec.json.encode(events).decode()


@pytest.mark.parametrize("viewer", [BADR, TABLE, SPECTATOR])
def test_a_seat_that_has_not_bid_sees_the_same_for_every_bid(souk: ModuleType, viewer: Viewer) -> None:
    views = set()
    for coins in (3, 7):
        service = begin_souk()
        service.play("k", f"amina: bid {coins}", by="anna")
        views.add(visible_documents(service, viewer).replace(service.position("k").commit.digest, "digest"))
    assert len(views) == 1
    assert '"text":"bid ?"' in views.pop()


def test_a_bidder_sees_the_own_bid_and_all_see_the_revealed_bids(service: GameService) -> None:
    play_bid(service, "amina: bid 7")
    assert '"text":"bid 7"' in visible_documents(service, AMINA)
    play_bid(service, "badr: bid 2")
    play_bid(service, "dalal: bid 2")
    assert "all bids: amina 7, badr 2, dalal 2" in visible_documents(service, TABLE)


def test_a_conflict_tells_no_sealed_bid(service: GameService) -> None:
    play_bid(service, "badr: bid 2")
    seen_head = service.position("k").commit.digest
    play_bid(service, "amina: bid 7")
    with pytest.raises(ConflictError, match=r"bid [?]") as error:
        service.play("k", "badr: bid 3", by="anna", expected=seen_head, viewer=BADR)
    assert "7" not in error.value.why


def test_a_sealed_bid_of_another_seat_is_not_undone(service: GameService) -> None:
    play_bid(service, "amina: bid 7")
    with pytest.raises(GameError, match=r"\(bid [?]\) has shown what was hidden"):
        service.undo("k", by="anna", viewer=BADR)


def test_two_sealed_bids_on_the_same_head_are_no_conflict(service: GameService) -> None:
    head = service.position("k").commit.digest
    play_bid(service, "amina: bid 4", expected=head)
    assert play_bid(service, "badr: bid 2", expected=head).to_move == ("dalal",)
    last_position = play_bid(service, "dalal: bid 1", expected=head)
    assert [commit.text for commit in service.log("k", viewer=EVERYTHING)[1:]] == ["bid 4", "bid 2", "bid 1"]
    with pytest.raises(ConflictError):  # what came since is more than sealed bids: the next good is for sale
        play_bid(service, "amina: bid 1", expected=service.log("k")[2].digest)
    assert service.verify("k").fault is None
    assert last_position.commit.marks == ("r2",)


def test_a_trial_stops_at_hidden_information(service: GameService) -> None:
    play_bid(service, "amina: bid 4")
    try_result = service.try_("k", ["badr: bid 2", "dalal: bid 1"], BADR)
    assert [position.commit.text for position in try_result.positions] == ["bid 2"]
    assert try_result.hidden.startswith("this depends on hidden information")
    assert len(service.try_("k", ["badr: bid 2", "dalal: bid 1"], EVERYTHING).positions) == 2


def test_a_refusal_does_not_depend_on_hidden_values(service: GameService) -> None:
    play_bid(service, "amina: bid 4")
    answer = service.play("k", "badr: bid 22", by="anna", viewer=BADR)
    assert isinstance(answer, Refused)
    assert answer.refusals[0].reason == "badr has 10 coins, not 22"
    with pytest.raises(HiddenError):
        service.position("k", BADR).game.rules.decide(
            service.position("k", BADR).state, "dalal", service.log("k")[1].command
        )


@pytest.mark.parametrize(
    ("viewer", "seat", "message"),
    [(BADR, "amina", "amina can't be played here"), (SPECTATOR, "amina", "bid 3 can't be played by a spectator")],
)
def test_no_player_plays_the_seat_of_another(service: GameService, viewer: Viewer, seat: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        service.play("k", "bid 3", by="mallory", seat=seat, viewer=viewer)
    assert service.position("k").commit.number == 0


def test_a_hidden_value_equals_nothing(service: GameService) -> None:
    play_bid(service, "amina: bid 9")
    play_bid(service, "badr: bid 3")
    for text in ("amina.bids == badr.bids", "amina.bids != badr.bids", "amina.bids == 9", "amina.bids > 5"):
        with pytest.raises(ExpressionError):
            parse(text).holds(service.position("k", TABLE).figures)
    assert parse("amina.bids > badr.bids").holds(service.position("k", EVERYTHING).figures)


def test_legal_commands_depend_on_the_viewer(service: GameService) -> None:
    for text in ("amina: bid 4", "badr: bid 2", "dalal: bid 1"):
        play_bid(service, text)
    assert list(service.position("k", AMINA).legal().texts())[-1] == "bid 6"
    assert list(service.position("k", BADR).legal().texts())[-1] == "bid 10"
    play_bid(service, "badr: bid 1")
    assert not service.position("k", BADR).legal()
