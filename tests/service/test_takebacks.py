"""Takebacks with hidden cards: the others see what the requesting player has seen, and consent to that."""

import pytest

from zimcli.features.takebacks import request_lines
from zimcore.documents.discussion import Takebacks
from zimcore.features.takebacks.actions import ask
from zimcore.features.takebacks.documents import NewRequest
from zimcore.service import Viewer, open_service
from zimcore.service.records.discussion import TakebacksAgreed

ITALIAN_VIEWER = Viewer("italy", own=True)


@pytest.mark.parametrize("agreed_takebacks", ["ask", "free"])
@pytest.mark.parametrize(
    ("moves", "seen_numbers"),
    [(["draw", "end"], (1,)), (["end", "end"], ()), (["turn left", "end", "end"], (1,)), (["end", "draw"], ())],
)
def test_a_takeback_request_says_which_cards_were_seen(
    agreed_takebacks: Takebacks, moves: list[str], seen_numbers: tuple[int, ...]
) -> None:
    """Italy sees cards when it draws or turns a page, but not what France draws."""
    service = open_service("memory:")
    service.new(
        "africana", {"players": "2", "seed": "7"}, name="k", by="ann", agreed=[TakebacksAgreed(agreed_takebacks)]
    )
    for move in moves:
        service.play_or_raise("k", move, by="ann")
    (takeback,) = service.change(ask, NewRequest(len(moves)), "k", by="ann", viewer=ITALIAN_VIEWER).requests
    if agreed_takebacks == "free" and not seen_numbers:
        assert (takeback.status, takeback.waiting) == ("granted", ())
        return
    assert (takeback.status, takeback.waiting, takeback.seen) == ("open", ("france",), seen_numbers)
    shown_text = "\n".join("".join(text for text, _ in line) for line in request_lines(takeback))
    assert ("has seen hidden cards since (@1) and will still know them" in shown_text) == bool(seen_numbers)
