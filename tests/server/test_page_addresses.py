"""Addresses of pages: those that a player can copy open for other people, as these may see them; unknown ones."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.picture.conftest import demo_options_and_moves
from tests.server.game_server import GameServer, game_server
from tests.server.test_pages import get_page, send_form
from zimcore.games import zimbabwe
from zimcore.rule_texts import examples_of, lessons_of, primer_of
from zimcore.service import Viewer

MOVE_COUNT = 40


@pytest.fixture
def public_match(tmp_path: Path) -> Iterator[GameServer]:
    """A public game, and a line that only zulu sees."""
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True) as server:
        for move in moves[:MOVE_COUNT]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        server.service.fork("k@30", "zulu--what-if", by="zulu-player", viewer=Viewer("zulu"))
        yield server


def game_addresses(server: GameServer, path: str, token: str) -> list[str]:
    """All addresses of a game that stand on a page, as links."""
    links = [html.unescape(each) for each in re.findall(r'href="([^"]+)"', get_page(server, path, token).text)]
    addresses = [f"/games/k{each}" if each.startswith("?") else each for each in links]
    return sorted({each for each in addresses if each.startswith("/games/")})


def test_every_address_that_a_player_can_copy_opens_for_others(public_match: GameServer) -> None:
    zulu_token, kilwa_token = public_match.seats["zulu"].token, public_match.seats["kilwa"].token
    pages = ["/games/k?as=zulu", "/games/k?as=zulu&why=kilwa.vp&ask=cards", "/games/k?as=zulu&say=craft", "/"]
    addresses = sorted(
        {address for page in pages for address in game_addresses(public_match, page, zulu_token)}
        | {"/games/k?as=kilwa&at=12"}
    )
    assert len(addresses) > 50
    sampled_addresses = [each for each in addresses if "at=" not in each] + addresses[::10]
    for address in sampled_addresses:
        for tokens in ((), (kilwa_token,)):
            response = get_page(public_match, address, *tokens)
            is_private = "zulu--what-if" in address
            assert response.status_code == (404 if is_private else 200), address
            if address.startswith("/games/k?"):
                assert 'id="board"' in response.text, "the match is shown instead of a private line"
                assert f'data-seat="{"kilwa" if tokens else ""}"' in response.text


def test_a_line_of_another_seat_looks_like_one_that_does_not_exist(public_match: GameServer) -> None:
    private_page, missing_page = (
        get_page(public_match, f"/games/k?line={line}") for line in ("zulu--what-if", "zulu--what-ef")
    )
    masked_pages = [
        re.sub(r'name="key" value="[^"]*"|what-.f|zulu--', "", page.text) for page in (private_page, missing_page)
    ]
    assert masked_pages[0] == masked_pages[1]


def test_links_of_parts_keep_the_seat_and_the_position(public_match: GameServer) -> None:
    zulu_token = public_match.seats["zulu"].token
    page = get_page(public_match, "/games/k?as=zulu&line=zulu--what-if&why=kilwa.vp", zulu_token).text
    links = [html.unescape(each) for each in re.findall(r'href="(\?[^"]+)"', page)]
    assert len(links) > 30
    for link in links:
        assert link.startswith("?as=zulu&line=zulu--what-if&"), link
    assert (
        "at=" not in get_page(public_match, "/games/k").text
        or 'href="?at=1"' in get_page(public_match, "/games/k").text
    )


@pytest.mark.parametrize("path", ["/nowhere", "/games", "/static/x/nothing.js", "/games/k/nothing"])
def test_an_unknown_address_is_a_page_for_a_browser_and_a_document_for_a_program(
    public_match: GameServer, path: str
) -> None:
    for accept, media_type in (("text/html", "text/html"), ("application/json", "application/problem+json")):
        response = public_match.http.get(path, headers={"Accept": accept})
        assert response.status_code in (404, 405)
        if path.startswith("/static"):
            continue
        assert response.headers["content-type"].startswith(media_type)
        if media_type == "text/html":
            assert 'href="/">All games' in response.text


def test_head_requests_of_pages_are_answered(public_match: GameServer) -> None:
    assert public_match.http.head("/").status_code == 200


def test_a_shared_link_has_the_name_the_status_and_a_picture_of_a_game(public_match: GameServer) -> None:
    page = get_page(public_match, "/games/k?at=12").text
    meta_tags = dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)"', page))
    assert meta_tags["og:title"] == "The Great Zimbabwe · k"
    assert meta_tags["og:description"] == "round 1 · mutapa-player to act"
    assert "kilwa-player" in meta_tags["description"]
    image_address = html.unescape(meta_tags["og:image"])
    assert image_address.startswith("https://testserver.local/games/k/board.png?")
    image_response = get_page(public_match, image_address.removeprefix("https://testserver.local"))
    assert image_response.headers["content-type"] == "image/png"
    assert image_response.content.startswith(b"\x89PNG")
    assert image_response.content != get_page(public_match, "/games/k/board.png").content, "of that position"


def test_pictures_of_digests_are_cached_and_pictures_of_places_are_not(public_match: GameServer) -> None:
    digest = public_match.service.position("k@12").commit.digest
    for suffix in ("png", "svg"):
        response = get_page(public_match, f"/games/k/board.{suffix}?at={digest}")
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert "Cookie" in response.headers["vary"], "the picture depends on the seat"
        response_to_zulu = get_page(
            public_match, f"/games/k/board.{suffix}?at={digest}", public_match.seats["zulu"].token
        )
        assert response_to_zulu.headers["cache-control"] == "private, max-age=31536000, immutable"
        for place in ("", "?at=12"):
            assert get_page(public_match, f"/games/k/board.{suffix}{place}").headers["cache-control"] == "no-cache"


def test_a_game_that_is_not_public_has_no_picture_for_strangers(tmp_path: Path) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}) as server:
        assert "og:image" not in get_page(server, "/games/k", server.seats["kilwa"].token).text
        for suffix in ("png", "svg"):
            assert get_page(server, f"/games/k/board.{suffix}").status_code == 401


def test_a_game_links_its_rules_by_code(public_match: GameServer) -> None:
    page = get_page(public_match, "/games/k").text
    [address] = re.findall(r'href="(/rules/\w+)"', page)
    rules_page = get_page(public_match, address).text
    for rule in zimbabwe.GAME.texts.rules():
        assert f'<dt id="{rule.code}">{rule.code}</dt>' in rules_page
    assert rules_page.count("The rulebook leaves this open") > 10
    additions = re.findall(r"(R-[A-Z]+-\d\d)</dt>\s*<dd>[^<]*<small>An addition, not in the rulebook", rules_page)
    assert additions == [rule.code for rule in zimbabwe.GAME.texts.rules() if rule.source == "addition"] != []
    assert get_page(public_match, "/rules/frob").status_code == 404
    icon_response = public_match.http.get("/favicon.ico")
    assert icon_response.headers["content-type"] == "image/svg+xml"


def test_the_rules_page_teaches_searches_and_shows_examples(public_match: GameServer) -> None:
    game = zimbabwe.GAME
    page_text = get_page(public_match, "/rules/zimbabwe").text
    pictures = re.findall(r'src="(/rules/zimbabwe/[\w-]+/board.svg)"', page_text)
    tasks = [task for lesson in lessons_of(game).values() for task in lesson]
    assert len(pictures) == len([section for section in primer_of(game) if section.shown is not None]) + len(tasks) > 12
    assert all(public_match.http.get(picture).status_code == 200 for picture in pictures)
    for task in tasks:
        assert f"<code>{task.solution[0]}</code>" in html.unescape(page_text)
    for section in primer_of(game):
        assert section.question in html.unescape(page_text)
    examples = re.findall(r'href="(/rules/zimbabwe/(R-[A-Z]+-\d\d))">Example', page_text)
    assert {code for _, code in examples} == {*examples_of(game)}
    assert public_match.http.get(pictures[0]).headers["content-type"] == "image/svg+xml"
    example_text = html.unescape(get_page(public_match, "/rules/zimbabwe/R-MON-01").text)
    assert "You type: <code>build d7" in example_text
    assert "h7 is next to the monument on i7" in example_text
    assert public_match.http.get("/rules/zimbabwe/R-MON-01/board.svg").text.startswith("<svg")
    for address in ("R-FROB-01", "R-FROB-01/board.svg", "7/board.svg"):
        assert get_page(public_match, f"/rules/zimbabwe/{address}").status_code == 404


@pytest.mark.parametrize(
    ("question", "first_words"),
    [
        ("what is a hub", r'<p class="answer"><b>hub</b>: A monument that carries'),
        ("R-MON-01", r'<dt id="R-MON-01">'),
        ("frobnicate", r"No rule and no word of the game has “frobnicate”"),
    ],
)
def test_the_rules_page_answers_a_search(public_match: GameServer, question: str, first_words: str) -> None:
    page_text = public_match.http.get("/rules/zimbabwe", params={"q": question}).text
    assert first_words in page_text
    assert "1. What it is about" not in page_text


def test_a_link_shows_its_game_before_it_is_redeemed(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}, take_seats=False) as server:
        server.sit("ann")
        link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ben"}).json()["token"]
        for _ in range(2):  # showing a link does not use it up
            page_text = send_form(server, "/join/about", {"key": "k" * 20, "link": link}).text
            for word in ("<b>Nim</b>", "<b>k</b>", '<b class="seat-name">Ben</b>', "ann-player", "hanna"):
                assert word in page_text
        assert (
            "has been used or has ended"
            in send_form(server, "/join/about", {"key": "k" * 20, "link": link[:-3] + "AAA"}).text
        )
        assert server.http.post("/join/about", data={"key": "k" * 20, "link": link}).status_code == 403


def test_a_page_says_the_rules_of_its_table(tmp_path: Path) -> None:
    options = {"players": "2", "seed": "7", "order": "kilwa,mutapa", "map": "S...S", "first_gift": "required"}
    with game_server(tmp_path, "zimbabwe", options) as server:
        server.play("start a1", "start e1")
        token = server.seats["mutapa"].token
        page = get_page(server, "/games/k", token).text
        [address] = re.findall(r'href="(/rules/[^"#]+)"', page)
        assert address == "/rules/zimbabwe?house=first_gift%3Drequired"
        refusal = get_page(server, "/games/k?say=pass", token).text
        for text in (refusal, get_page(server, address, token).text):
            assert "all may pass without any gift. At this table (first_gift=required): Every round needs" in text
        assert f'<a href="{address}#R-BID-06">R-BID-06</a>' in refusal
        assert "At this table" not in get_page(server, "/rules/zimbabwe", token).text
