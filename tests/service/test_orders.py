"""Standing orders: played once, when their turn comes, by the seat's knowledge; hidden from all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from event_store import EventStore
from zimcore.game import GameError, NotationError, UnknownError
from zimcore.games.registry import GAMES
from zimcore.service import GameService, Viewer

KINDS = {**GAMES, "nim": "tests.nim:GAME"}


def nim(url: str = "memory:") -> GameService:
    service = GameService(EventStore.open(url), games=KINDS)
    service.new("nim", {"stones": "20"}, name="k", by="hanna")
    return service


def bidding() -> GameService:
    """A game of Zimbabwe whose first monuments stand: the first bid is to be said."""
    service = GameService(EventStore.open("memory:"))
    service.new("zimbabwe", {"players": "3", "seed": "7"}, name="k", by="hanna")
    while "bid 1" not in texts(service):
        service.play_or_raise("k", texts(service)[0], by="hanna")
    return service


def dies(*_: object) -> None:
    raise GameError("the lights went out")


def texts(service: GameService) -> list[str]:
    return [*service.position("k").legal().texts()]


def log(service: GameService, last: int) -> list[tuple[str, str, str]]:
    return [(each.seat, each.text, each.by) for each in service.log("k")[-last:]]


def test_an_order_is_played_when_its_turn_comes_and_the_log_says_so() -> None:
    service = nim()
    service.order("k", "take 2", by="ben", seat="ben")
    assert service.position("k").commit.number == 0
    answer = service.play_or_raise("k", "take 1", by="ann")
    assert answer.commit.text == "take 1"  # of one's own command
    assert log(service, 2) == [("ann", "take 1", "ann"), ("ben", "take 2", "standing order of ben")]
    (order,) = service.orders("k", "ben").ended
    assert (order.text, order.why) == ("take 2", "")
    service.play_or_raise("k", "take 1", by="ann")
    assert service.position("k").to_move == ("ben",)  # it was played once


def test_where_it_is_due_it_is_played_at_once() -> None:
    service = nim()
    service.order("k", "take 3", by="ann", seat="ann")
    assert log(service, 1) == [("ann", "take 3", "standing order of ann")]


def test_orders_of_two_play_on_by_themselves_one_command_each_turn() -> None:
    service = nim()
    service.order("k", "take 1; take 2; take 3", by="ben", seat="ben")
    service.order("k", "take 3; take 2; take 1", by="ann", seat="ann")
    assert [(seat, text) for seat, text, _ in log(service, 6)] == [
        *(("ann", "take 3"), ("ben", "take 1"), ("ann", "take 2")),
        *(("ben", "take 2"), ("ann", "take 1"), ("ben", "take 3")),
    ]
    assert not service.orders("k", "ann").orders
    assert not service.orders("k", "ben").orders


def test_the_first_of_several_that_says_something_is_carried_out() -> None:
    service = nim()
    for text in ("take 1", "take 2"):
        service.order("k", text, by="ben", seat="ben")
    service.play_or_raise("k", "take 1", by="ann")
    service.play_or_raise("k", "take 1", by="ann")
    assert [text for seat, text, _ in log(service, 4) if seat == "ben"] == ["take 1", "take 2"]


def test_an_impossible_order_lapses_and_its_owner_is_notified() -> None:
    service = nim()
    service.new("nim", {"stones": "3"}, name="small", by="hanna")
    service.order("small", "take 3", by="ben", seat="ben")
    service.play_or_raise("small", "take 1", by="ann")
    assert service.position("small").to_move == ("ben",)
    (lapsed,) = service.orders("small", "ben").ended
    assert "1 to 3 of 2 stones, not 3" in lapsed.why


def test_an_order_is_taken_back_once() -> None:
    service = nim()
    order = service.order("k", "take 2", by="ben", seat="ben").orders[0]
    assert service.take_back_order("k", order.number, by="ben", seat="ben").orders == ()
    service.play_or_raise("k", "take 1", by="ann")
    assert service.position("k").to_move == ("ben",)
    with pytest.raises(UnknownError, match="there is no order"):
        service.take_back_order("k", order.number, by="ben", seat="ben")


def test_the_same_asked_for_again_is_ordered_once() -> None:
    service = nim()
    for _ in range(2):
        service.order("k", "take 2", by="ben", seat="ben", command_id="o1")
    assert len(service.orders("k", "ben").orders) == 1


@pytest.mark.parametrize("text", ["frob", "take", "", "take 2; frob", "x" * 501, "take 2\x1b[31m", "ann: take 1"])
def test_what_is_no_order_is_refused_and_nothing_is_stored(text: str) -> None:
    service = nim()
    stored = sum(1 for _ in service.store.rows())
    with pytest.raises(GameError):
        service.order("k", text, by="ben", seat="ben")
    assert sum(1 for _ in service.store.rows()) == stored


def test_no_player_orders_for_another_seat_or_looks() -> None:
    service = nim()
    service.order("k", "take 2", by="ben", seat="ben")
    for viewer in (Viewer("ann"), Viewer("", plays=False)):
        for seat in ("ben", "cid", ""):
            with pytest.raises(GameError):
                service.order("k", "take 1", by="ann", seat=seat, viewer=viewer)
            with pytest.raises(GameError):
                service.orders("k", seat, viewer)
            with pytest.raises(GameError):
                service.take_back_order("k", 1, by="ann", seat=seat, viewer=viewer)


def test_there_are_not_more_than_a_few() -> None:
    service = nim()
    for _ in range(20):
        service.order("k", "take 2", by="ben", seat="ben")
    with pytest.raises(GameError, match="there are too many orders"):
        service.order("k", "take 2", by="ben", seat="ben")


def test_orders_are_for_the_match_and_not_for_forks_of_it() -> None:
    service = nim()
    service.fork("k", "what-if", by="ann")
    service.order("k", "take 2", by="ben", seat="ben")
    service.play_or_raise("k/what-if", "take 1", by="ann")
    assert service.position("k/what-if").to_move == ("ben",)
    with pytest.raises(GameError, match="orders are for the match"):
        service.order("k/what-if", "take 2", by="ben", seat="ben")


def test_what_was_taken_back_is_not_played_again() -> None:
    service = nim()
    service.order("k", "take 2; take 1", by="ben", seat="ben")
    service.play_or_raise("k", "take 1", by="ann")
    service.undo("k", by="ben")
    service.carry_out("k")
    assert service.position("k").commit.number == 1
    (lapsed,) = service.orders("k", "ben").ended
    assert lapsed.why == "what it has played was taken back"


def test_two_services_on_one_store_play_it_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    one = nim(url)
    second = GameService(EventStore.open(url), games=KINDS)
    one.order("k", "take 2; take 3", by="ben", seat="ben")
    second.position("k")  # knows the line as it was
    one.play_or_raise("k", "take 1", by="ann")
    for service in (second, one, second):
        service.carry_out("k")
    assert [text for _, text, _ in log(second, 2)] == ["take 1", "take 2"]
    second.play_or_raise("k", "take 1", by="ann")
    for service in (one, second):
        service.carry_out("k")
    assert [text for _, text, _ in log(one, 4)] == ["take 1", "take 2", "take 1", "take 3"]
    one.store.close()
    second.store.close()


def test_a_crash_between_the_command_and_the_end_of_its_order_plays_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = nim()
    service.order("k", "take 2", by="ben", seat="ben")
    with monkeypatch.context() as patch:
        patch.setattr(
            "zimcore.service.standing_orders._end_order",
            lambda *_: (_ for _ in ()).throw(GameError("the lights went out")),
        )
        service.play_or_raise("k", "take 1", by="ann")
    assert len(service.orders("k", "ben").orders) == 1
    service.play_or_raise("k", "take 1", by="ann")
    assert service.position("k").to_move == ("ben",)
    assert service.orders("k", "ben").orders == ()


def test_bidding_goes_on_by_orders() -> None:
    service = bidding()
    first_position = service.position("k").to_move[0]
    for seat in service.position("k").seats:
        if seat != first_position:
            service.order("k", "bid up to 2", by=seat, seat=seat)
    position_before = service.position("k").commit.number
    service.play_or_raise("k", "bid 1", by=first_position)
    commits = service.log("k")[position_before + 1 :]
    assert [each.text for each in commits] == ["bid 1", "bid 2", "pass"]
    second, third = commits[1].seat, commits[2].seat
    assert [each.by for each in commits[1:]] == [f"standing order of {second}", f"standing order of {third}"]
    assert service.orders("k", third).ended[0].why == ""
    while service.position("k").to_move != (second,):
        service.play_or_raise("k", texts(service)[-1], by="hanna")
    service.carry_out("k")
    assert not service.orders("k", second).orders  # it has done its part in this bidding, and says nothing in the next


def test_a_bid_is_never_higher_than_was_ordered_and_then_one_passes() -> None:
    service = bidding()
    first_position = service.position("k").to_move[0]
    others = [seat for seat in service.position("k").seats if seat != first_position]
    for seat in others:
        service.order("k", "bid up to 2", by=seat, seat=seat)
    position_before = service.position("k").commit.number
    service.play_or_raise("k", "bid 2", by=first_position)
    assert [each.text for each in service.log("k")[position_before + 1 :]][:3] == ["bid 2", "pass", "pass"]


def test_one_passes_unless_the_bid_is_what_was_said() -> None:
    for bid, text in ((1, "the bid is 1"), (2, "")):
        service = bidding()
        first_position = service.position("k").to_move[0]
        others = [seat for seat in service.position("k").seats if seat != first_position]
        for seat in others:
            service.order("k", "pass unless the bid is 1", by=seat, seat=seat)
        service.play_or_raise("k", f"bid {bid}", by=first_position)
        whys = [[each.why for each in service.orders("k", seat).ended] for seat in others]
        assert sorted(whys) == ([[], [text]] if text else [[text], [text]])


def test_an_order_for_bidding_waits_until_there_is_some() -> None:
    service = GameService(EventStore.open("memory:"))
    service.new("zimbabwe", {"players": "2", "seed": "7"}, name="k", by="hanna")
    seats = service.position("k").seats
    for seat in seats:
        service.order("k", "pass", by=seat, seat=seat)
    while service.position("k").status.startswith("set-up"):
        service.play_or_raise("k", texts(service)[0], by="hanna")
    ((seat, text, by),) = log(service, 1)
    assert (text, by) == ("pass", f"standing order of {seat}")


def test_of_hidden_cards_an_order_tells_nothing(tmp_path: Path) -> None:
    """A move in Africana is decided on what its player knows, and a turn may be ordered whole."""
    service = GameService(EventStore.open(f"sqlite:///{tmp_path}/games.db"))
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="hanna")
    seat = next(each for each in service.position("k").seats if each not in service.position("k").to_move)
    mover = service.position("k").to_move[0]
    service.order("k", "draw; end", by="anna", seat=seat, viewer=Viewer(seat))
    for text in ("draw", "end"):
        service.play_or_raise("k", text, by="ben", viewer=Viewer(mover))
    played = [(each.seat, each.text) for each in service.log("k") if each.by == "standing order of anna"]
    assert played == [(seat, "draw"), (seat, "end")]
    with pytest.raises(NotationError):
        service.order("k", "bid up to 4", by="anna", seat=seat, viewer=Viewer(seat))


def test_orders_are_in_no_export_and_in_a_backup(tmp_path: Path) -> None:
    service = nim(f"sqlite:///{tmp_path}/games.db")
    service.order("k", "take 2", by="ben", seat="ben")
    assert b"order_given" not in b"".join(service.export())
    assert "order_given" in str([row for _, row in service.store.rows()])
    assert not [audit.fault for audit in service.verify_all() if audit.fault]
    service.store.close()
