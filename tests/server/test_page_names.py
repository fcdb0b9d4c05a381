"""People have one name on every page, whatever they are called, and no seat stands in the place of a person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.picture.conftest import demo_options_and_moves
from tests.server.game_server import Client, GameServer, game_server
from tests.server.test_pages import get_page
from zimcore.game import Game
from zimcore.games import africana, zimbabwe
from zimcore.service import Viewer
from zimcore.toolkit.words import spaced

NAMES = ("{title of the next seat}", "Ann-Sophie van der Meer-Hohenzollern of Bohemia", "J. O'Hara+1")
"""The name of another seat, a long one, and one with marks; programs of the same level sit at other seats."""
UNSEEN_CLASSES = {"seat-name", "level", "notation"}
UNSEEN_TAGS = {"script", "style", "code"}
EMPTY_TAGS = {"input", "meta", "link", "br", "path", "circle", "img", "rect", "line", "polygon", "ellipse", "use"}


class ShownTexts(HTMLParser):
    """The texts that a page shows, without those that are about a seat itself or are to be typed."""

    def __init__(self) -> None:
        super().__init__()
        self.open_tags = list[tuple[str, set[str]]]()
        self.texts = list[str]()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in EMPTY_TAGS:
            self.open_tags.append((tag, {*(dict(attributes).get("class") or "").split()}))

    def handle_endtag(self, tag: str) -> None:
        while self.open_tags and self.open_tags.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not any(tag in UNSEEN_TAGS or classes & UNSEEN_CLASSES for tag, classes in self.open_tags):
            self.texts.append(" ".join(data.split()))


def shown_texts(page: str) -> list[str]:
    parser = ShownTexts()
    parser.feed(page)
    return parser.texts


def names_at_seats(seats: tuple[str, ...]) -> dict[str, str]:
    """The player of each seat: people, and at the last two the same program."""
    names = dict.fromkeys(seats, "quick")
    people = (spaced(seats[1]).title(), *NAMES[1 : len(seats) - 1])
    return {**names, **dict(zip(seats, people[: max(1, len(seats) - 2)], strict=False))}


def sit_down(server: GameServer, names: dict[str, str]) -> None:
    for seat, name in names.items():
        if name == "quick":
            server.service.seat_bot("k", seat, "quick", by="hanna")
            continue
        offer = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": seat})
        body = {"link": offer.json()["token"], "by": name}
        answer = server.nobody("POST", "/v1/tokens", body, key=f"sitting-down-at-{seat}")
        assert answer.status_code == 201, answer.text
        server.seats = {**server.seats, seat: Client(server.http, answer.json()["token"])}


def seats_in_place_of_people(page: str, names: dict[str, str]) -> Iterator[str]:
    """Shown texts that name a seat, or a program by its level, where a person is to be named."""
    unique_names = {f"{name[:1].upper()}{name[1:]} ({spaced(seat).title()})" for seat, name in names.items()}
    known = sorted((*unique_names, *NAMES[1:]), key=len, reverse=True)
    words = [word for seat in names for word in (seat, spaced(seat))] + ["quick"]
    for text in shown_texts(page):
        rest = text
        for name in known:
            rest = rest.replace(name, "…")
        if re.search(rf"(?<![\w@./-])({'|'.join(map(re.escape, words))})(?![\w@-])", rest, re.IGNORECASE):
            yield text


@pytest.mark.parametrize(("game", "stops"), [(zimbabwe.GAME, (3, 60)), (africana.GAME, (3, 60))])
def test_no_page_calls_a_person_by_another_name(tmp_path: Path, game: Game, stops: tuple[int, ...]) -> None:
    options, moves = demo_options_and_moves(game)
    with game_server(tmp_path, game.name, options, public=True, take_seats=False) as server:
        seats = server.service.position("k").seats
        names = names_at_seats(seats)
        sit_down(server, names)
        questions = [*server.service.game("k").questions.QUESTIONS, "stats"]
        figure = f"{seats[0]}.vp"
        paths = [f"/games/k?{query}" for query in ("", "say=", f"why={figure}", "back=2", "part=around")]
        paths += [f"/games/k?part=study&ask={question}" for question in questions]
        paths += ["/games/k/compare?a=main@3&b=main", "/"]
        for number, move in enumerate(moves):
            if number in stops or number == len(moves) - 1:
                for path in paths:
                    for tokens in ([], [server.seats[seats[0]].token]):
                        page = get_page(server, path, *tokens).text
                        wrong = [text for text in seats_in_place_of_people(page, names) if not text.startswith("Try: ")]
                        assert wrong == [], path
            server.service.play("k", move, by="x", viewer=Viewer(None))
        page = get_page(server, "/games/k").text
        assert f"{spaced(seats[1]).title()} ({spaced(seats[0]).title()})" in page, "that name is also one of a seat"
        assert [*seats_in_place_of_people(page, names)] == []


def test_a_seat_in_the_place_of_a_person_is_found() -> None:
    names = names_at_seats(("kilwa", "mutapa", "zulu"))
    page = "<p>Mutapa (Kilwa) pays 2</p><p>kilwa pays 2</p><b>Zulu</b><i class='seat-name'>Kilwa</i><code>kilwa</code>"
    assert [*seats_in_place_of_people(page, names)] == ["kilwa pays 2", "Zulu"]
