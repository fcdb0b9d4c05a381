"""Standing orders: played once, when their turn comes, on the seat's knowledge; hidden from all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from event_store import EventStore
from zimcore.game import GameError, NotationError, UnknownError
from zimcore.games.registry import GAMES
from zimcore.service import GameService, Viewer

KINDS = {**GAMES, "nim": "tests.nim:GAME"}


def nim_service(url: str = "memory:") -> GameService:
    service = GameService(EventStore.open(url), games=KINDS)
    service.new("nim", {"stones": "20"}, name="k", by="hanna")
    return service


def bidding_service() -> GameService:
    """A game of Zimbabwe before its first bid: the first monuments are placed."""
    service = GameService(EventStore.open("memory:"))
    service.new("zimbabwe", {"players": "3", "seed": "7"}, name="k", by="hanna")
    while "bid 1" not in legal_texts(service):
        service.play_or_raise("k", legal_texts(service)[0], by="hanna")
    return service


def fail(*_: object) -> None:
    raise GameError("the lights went out")


def legal_texts(service: GameService) -> list[str]:
    return [*service.position("k").legal().texts()]


def last_log_rows(service: GameService, count: int) -> list[tuple[str, str, str]]:
    return [(each.seat, each.text, each.by) for each in service.log("k")[-count:]]


def test_an_order_is_played_when_its_turn_comes_and_the_log_says_so() -> None:
    service = nim_service()
    service.order("k", "take 2", by="ben", seat="ben")
    assert service.position("k").commit.number == 0
    position = service.play_or_raise("k", "take 1", by="ann")
    assert position.commit.text == "take 1"  # the answer is about the command that was sent
    assert last_log_rows(service, 2) == [("ann", "take 1", "ann"), ("ben", "take 2", "standing order of ben")]
    (order,) = service.orders("k", "ben").ended
    assert (order.text, order.why) == ("take 2", "")
    service.play_or_raise("k", "take 1", by="ann")
    assert service.position("k").to_move == ("ben",)  # it was played once


def test_an_order_of_the_seat_to_move_is_played_at_once() -> None:
    service = nim_service()
    service.order("k", "take 3", by="ann", seat="ann")
    assert last_log_rows(service, 1) == [("ann", "take 3", "standing order of ann")]


def test_orders_of_two_seats_are_played_in_turn() -> None:
    service = nim_service()
    service.order("k", "take 1; take 2; take 3", by="ben", seat="ben")
    service.order("k", "take 3; take 2; take 1", by="ann", seat="ann")
    assert [(seat, text) for seat, text, _ in last_log_rows(service, 6)] == [
        *(("ann", "take 3"), ("ben", "take 1"), ("ann", "take 2")),
        *(("ben", "take 2"), ("ann", "take 1"), ("ben", "take 3")),
    ]
    assert not service.orders("k", "ann").orders
    assert not service.orders("k", "ben").orders


def test_orders_of_a_seat_are_carried_out_in_sequence() -> None:
    service = nim_service()
    for text in ("take 1", "take 2"):
        service.order("k", text, by="ben", seat="ben")
    service.play_or_raise("k", "take 1", by="ann")
    service.play_or_raise("k", "take 1", by="ann")
    assert [text for seat, text, _ in last_log_rows(service, 4) if seat == "ben"] == ["take 1", "take 2"]


def test_an_impossible_order_lapses_and_its_owner_is_notified() -> None:
    service = nim_service()
    service.new("nim", {"stones": "3"}, name="small", by="hanna")
    service.order("small", "take 3", by="ben", seat="ben")
    service.play_or_raise("small", "take 1", by="ann")
    assert service.position("small").to_move == ("ben",)
    (lapsed_order,) = service.orders("small", "ben").ended
    assert "1 to 3 of 2 stones, not 3" in lapsed_order.why


def test_an_order_is_taken_back_once() -> None:
    service = nim_service()
    order = service.order("k", "take 2", by="ben", seat="ben").orders[0]
    assert service.take_back_order("k", order.number, by="ben", seat="ben").orders == ()
    service.play_or_raise("k", "take 1", by="ann")
    assert service.position("k").to_move == ("ben",)
    with pytest.raises(UnknownError, match="there is no order"):
        service.take_back_order("k", order.number, by="ben", seat="ben")


def test_a_retried_order_is_stored_once() -> None:
    service = nim_service()
    for _ in range(2):
        service.order("k", "take 2", by="ben", seat="ben", command_id="o1")
    assert len(service.orders("k", "ben").orders) == 1


@pytest.mark.parametrize("text", ["frob", "take", "", "take 2; frob", "x" * 501, "take 2\x1b[31m", "ann: take 1"])
def test_an_invalid_order_is_refused_and_not_stored(text: str) -> None:
    service = nim_service()
    rows_before = sum(1 for _ in service.store.rows())
    with pytest.raises(GameError):
        service.order("k", text, by="ben", seat="ben")
    assert sum(1 for _ in service.store.rows()) == rows_before


def test_no_viewer_gives_or_sees_orders_of_another_seat() -> None:
    service = nim_service()
    service.order("k", "take 2", by="ben", seat="ben")
    for viewer in (Viewer("ann"), Viewer("", plays=False)):
        for seat in ("ben", "cid", ""):
            with pytest.raises(GameError):
                service.order("k", "take 1", by="ann", seat=seat, viewer=viewer)
            with pytest.raises(GameError):
                service.orders("k", seat, viewer)
            with pytest.raises(GameError):
                service.take_back_order("k", 1, by="ann", seat=seat, viewer=viewer)


def test_a_seat_has_at_most_20_orders() -> None:
    service = nim_service()
    for _ in range(20):
        service.order("k", "take 2", by="ben", seat="ben")
    with pytest.raises(GameError, match="there are too many orders"):
        service.order("k", "take 2", by="ben", seat="ben")


def test_orders_are_for_the_match_and_not_for_forks_of_it() -> None:
    service = nim_service()
    service.fork("k", "what-if", by="ann")
    service.order("k", "take 2", by="ben", seat="ben")
    service.play_or_raise("k/what-if", "take 1", by="ann")
    assert service.position("k/what-if").to_move == ("ben",)
    with pytest.raises(GameError, match="orders are played only on the first line of a match"):
        service.order("k/what-if", "take 2", by="ben", seat="ben")


def test_an_order_whose_command_was_undone_lapses() -> None:
    service = nim_service()
    service.order("k", "take 2; take 1", by="ben", seat="ben")
    service.play_or_raise("k", "take 1", by="ann")
    service.undo("k", by="ben")
    service.carry_out("k")
    assert service.position("k").commit.number == 1
    (lapsed_order,) = service.orders("k", "ben").ended
    assert lapsed_order.why == "what it has played was taken back"


def test_two_services_on_one_store_play_an_order_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    first_service = nim_service(url)
    second_service = GameService(EventStore.open(url), games=KINDS)
    first_service.order("k", "take 2; take 3", by="ben", seat="ben")
    second_service.position("k")  # it has loaded the line as it was
    first_service.play_or_raise("k", "take 1", by="ann")
    for service in (second_service, first_service, second_service):
        service.carry_out("k")
    assert [text for _, text, _ in last_log_rows(second_service, 2)] == ["take 1", "take 2"]
    second_service.play_or_raise("k", "take 1", by="ann")
    for service in (first_service, second_service):
        service.carry_out("k")
    assert [text for _, text, _ in last_log_rows(first_service, 4)] == ["take 1", "take 2", "take 1", "take 3"]
    first_service.store.close()
    second_service.store.close()


def test_a_crash_between_the_command_and_the_end_of_its_order_plays_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = nim_service()
    service.order("k", "take 2", by="ben", seat="ben")
    with monkeypatch.context() as patch:
        patch.setattr("zimcore.service.social.standing_orders._end_order", fail)
        service.play_or_raise("k", "take 1", by="ann")
    assert len(service.orders("k", "ben").orders) == 1
    service.play_or_raise("k", "take 1", by="ann")
    assert service.position("k").to_move == ("ben",)
    assert service.orders("k", "ben").orders == ()


def test_orders_bid_and_pass() -> None:
    service = bidding_service()
    first_seat = service.position("k").to_move[0]
    for seat in service.position("k").seats:
        if seat != first_seat:
            service.order("k", "bid up to 2", by=seat, seat=seat)
    number_before = service.position("k").commit.number
    service.play_or_raise("k", "bid 1", by=first_seat)
    commits = service.log("k")[number_before + 1 :]
    assert [each.text for each in commits] == ["bid 1", "bid 2", "pass"]
    second_seat, third_seat = commits[1].seat, commits[2].seat
    assert [each.by for each in commits[1:]] == [f"standing order of {second_seat}", f"standing order of {third_seat}"]
    assert service.orders("k", third_seat).ended[0].why == ""
    while service.position("k").to_move != (second_seat,):
        service.play_or_raise("k", legal_texts(service)[-1], by="hanna")
    service.carry_out("k")
    assert not service.orders("k", second_seat).orders  # the order was for this bidding only


def test_an_order_passes_when_the_bid_is_higher_than_its_limit() -> None:
    service = bidding_service()
    first_seat = service.position("k").to_move[0]
    other_seats = [seat for seat in service.position("k").seats if seat != first_seat]
    for seat in other_seats:
        service.order("k", "bid up to 2", by=seat, seat=seat)
    number_before = service.position("k").commit.number
    service.play_or_raise("k", "bid 2", by=first_seat)
    assert [each.text for each in service.log("k")[number_before + 1 :]][:3] == ["bid 2", "pass", "pass"]


def test_an_order_may_pass_unless_there_is_a_certain_bid() -> None:
    for bid, lapse_reason in ((1, "the bid is 1"), (2, "")):
        service = bidding_service()
        first_seat = service.position("k").to_move[0]
        other_seats = [seat for seat in service.position("k").seats if seat != first_seat]
        for seat in other_seats:
            service.order("k", "pass unless the bid is 1", by=seat, seat=seat)
        service.play_or_raise("k", f"bid {bid}", by=first_seat)
        reasons = [[each.why for each in service.orders("k", seat).ended] for seat in other_seats]
        assert sorted(reasons) == ([[], [lapse_reason]] if lapse_reason else [[lapse_reason], [lapse_reason]])


def test_an_order_to_pass_waits_for_the_bidding() -> None:
    service = GameService(EventStore.open("memory:"))
    service.new("zimbabwe", {"players": "2", "seed": "7"}, name="k", by="hanna")
    seats = service.position("k").seats
    for seat in seats:
        service.order("k", "pass", by=seat, seat=seat)
    while service.position("k").status.startswith("set-up"):
        service.play_or_raise("k", legal_texts(service)[0], by="hanna")
    ((seat, text, by),) = last_log_rows(service, 1)
    assert (text, by) == ("pass", f"standing order of {seat}")


def test_an_order_is_decided_on_the_knowledge_of_its_seat(tmp_path: Path) -> None:
    """A move in Africana is decided on what its player knows, and a turn may be ordered whole."""
    service = GameService(EventStore.open(f"sqlite:///{tmp_path}/games.db"))
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="hanna")
    seat = next(each for each in service.position("k").seats if each not in service.position("k").to_move)
    seat_to_move = service.position("k").to_move[0]
    service.order("k", "draw; end", by="anna", seat=seat, viewer=Viewer(seat))
    for text in ("draw", "end"):
        service.play_or_raise("k", text, by="ben", viewer=Viewer(seat_to_move))
    ordered_moves = [(each.seat, each.text) for each in service.log("k") if each.by == "standing order of anna"]
    assert ordered_moves == [(seat, "draw"), (seat, "end")]
    with pytest.raises(NotationError):
        service.order("k", "bid up to 4", by="anna", seat=seat, viewer=Viewer(seat))


def test_orders_are_in_the_store_and_in_no_export(tmp_path: Path) -> None:
    service = nim_service(f"sqlite:///{tmp_path}/games.db")
    service.order("k", "take 2", by="ben", seat="ben")
    assert b"order_given" not in b"".join(service.export())
    assert "order_given" in str([row for _, row in service.store.rows()])
    assert not [audit.fault for audit in service.verify_all() if audit.fault]
    service.store.close()
