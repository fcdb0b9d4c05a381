"""Pages as sent: which visitor gets which, where forms may come from, and what no page has."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from msgspec.structs import replace

from tests.cli.conftest import make_zim
from tests.cli.test_africana_hidden_cards import ORIGINAL_DEAL, deal_other_hidden_cards
from tests.picture.conftest import demo_options_and_moves
from tests.server.deployment import wait_for
from tests.server.game_server import GENEROUS_SETTINGS, GameServer, game_server
from tests.server.test_secrets import mask_digests, match_with_deal
from zimcore.analysis.judgement_cache import JudgementCache
from zimcore.analysis.judgement_files import judgement_path
from zimcore.analysis.judging import JudgedTurn
from zimcore.analysis.match_analysis import engine_version, iter_decisions
from zimcore.chances import Chance
from zimcore.commits import Position
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.takebacks.actions import requests
from zimcore.game import Seat
from zimcore.games import zimbabwe
from zimcore.server.pages import log_entries
from zimcore.server.pages.browser import COOKIE_PREFIX, TRIAL_COOKIE_NAME
from zimcore.server.pages.game_cards import card_of
from zimcore.server.pages.rendering import render_template
from zimcore.server.people.access import authenticate
from zimcore.server.wire.host_header import WILDCARD_ADDRESSES
from zimcore.server.wire.tokens import digest, id_of, new_token
from zimcore.service import Viewer
from zimcore.service.records.memberships import SeatOffered, SeatTaken
from zimcore.service.records.names import NameEvent
from zimcore.toolkit.player_names import names_of_people
from zimcore.toolkit.printable import printable

SAME_ORIGIN = {"Origin": "http://testserver.local", "Sec-Fetch-Site": "same-origin"}
MAX_PAGE_BYTES = 120_000
"""Bytes over the wire for the first view of a game of 150 moves."""


def cookie_header(*tokens: str) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{COOKIE_PREFIX}{id_of(each)}={each}" for each in tokens)}


def get_page(server: GameServer, path: str, *tokens: str, **headers: str) -> httpx.Response:
    response: httpx.Response = server.http.get(
        path, headers={"Accept": "text/html", **cookie_header(*tokens), **headers}
    )
    return response


def send_form(server: GameServer, path: str, form: dict[str, str], *tokens: str, **headers: str) -> httpx.Response:
    """A form as a browser sends it, from the page with these fields."""
    response: httpx.Response = server.http.post(
        path, data=form, headers={**SAME_ORIGIN, **cookie_header(*tokens), **headers}, follow_redirects=False
    )
    return response


def form_of(page: httpx.Response, action: str) -> dict[str, str]:
    """The hidden fields of the form with this action."""
    [form] = re.findall(rf'<form[^>]*action="{re.escape(action)}" method="post">(.*?)</form>', page.text, re.DOTALL)
    return {
        name: html.unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
    }


@pytest.fixture
def ann_token(nim_server: GameServer) -> str:
    return nim_server.seats["ann"].token


@pytest.fixture
def ben_token(nim_server: GameServer) -> str:
    return nim_server.seats["ben"].token


def test_a_cookie_counts_for_pages_and_nowhere_else(nim_server: GameServer, ann_token: str) -> None:
    assert get_page(nim_server, "/games/k", ann_token).status_code == 200
    for path in (
        nim_server.path,
        nim_server.main,
        f"{nim_server.main}/feed",
        "/v1/games",
        "/v1/tokens",
        f"{nim_server.path}/tokens",
    ):
        assert nim_server.http.get(path, headers=cookie_header(ann_token)).status_code == 401, path
    headers = {**cookie_header(ann_token), **SAME_ORIGIN, "Idempotency-Key": "k", "If-Match": "*"}
    assert nim_server.http.post(f"{nim_server.main}/moves", json={"move": "take 1"}, headers=headers).status_code == 401


def test_a_visitor_without_a_token_sees_no_game(nim_server: GameServer) -> None:
    refusal = get_page(nim_server, "/games/k")
    assert refusal.status_code == 401
    assert "token" not in refusal.text
    assert "Open the link that the host has sent you" in refusal.text
    assert "Bearer" not in refusal.text
    assert refusal.headers["content-type"].startswith("text/html")
    for path in ("steps", "feed", "replay", "certificate"):
        assert nim_server.http.get(f"/games/k/{path}").status_code == 401
    assert get_page(nim_server, "/games/other").status_code == refusal.status_code, "what is not there looks the same"
    assert "This browser has no seat here" in get_page(nim_server, "/games/k?as=ben").text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-site"},
        {"Origin": "null", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://testserver.local", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://testserver.local.evil.example"},
        {"Sec-Fetch-Site": "none"},
        {},
    ],
    ids=str,
)
def test_a_form_from_another_origin_is_refused(nim_server: GameServer, ann_token: str, headers: dict[str, str]) -> None:
    form = {**form_of(get_page(nim_server, "/games/k?say=take+1", ann_token), "/games/k/moves"), "move": "take 1"}
    for path in ("/games/k/moves", "/games/k/undo", "/games/k/leave", "/games/k/links", "/games", "/join"):
        response = nim_server.http.post(
            path, data=form, headers={**cookie_header(ann_token), **headers}, follow_redirects=False
        )
        assert response.status_code == 403, path
        assert "set-cookie" not in response.headers
    assert nim_server.service.head("k").commit.number == 0


def test_a_form_plays_once_and_can_be_undone(nim_server: GameServer, ann_token: str) -> None:
    page = get_page(nim_server, "/games/k?say=take+2", ann_token)
    assert 'Play<span class="sr">: take 2</span>' in page.text
    form = form_of(page, "/games/k/moves")
    for _ in range(2):
        response = send_form(nim_server, "/games/k/moves", form, ann_token)
        assert (response.status_code, response.headers["location"]) == (303, "/games/k?as=ann")
    assert nim_server.service.head("k").commit.text == "take 2"
    undo_form = form_of(get_page(nim_server, "/games/k", ann_token), "/games/k/undo")
    assert send_form(nim_server, "/games/k/undo", undo_form, ann_token).status_code == 303
    assert nim_server.service.head("k").commit.number == 0


def test_a_form_of_an_outdated_page_is_a_conflict(nim_server: GameServer, ann_token: str, ben_token: str) -> None:
    form = form_of(get_page(nim_server, "/games/k?say=take+2", ann_token), "/games/k/moves")
    nim_server.play("take 1", "take 1")
    response = send_form(nim_server, "/games/k/moves", form, ann_token)
    assert response.status_code == 412
    assert "has moved on" in response.text
    assert nim_server.service.head("k").commit.number == 2


def test_a_refusal_is_explained_in_words_with_its_rule(tmp_path: Path) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}) as server:
        seat = server.service.head("k").to_move[0]
        token = server.seats[seat].token
        page = get_page(server, "/games/k?say=bid+3", token)
        assert re.search(
            r'<div class="problem" role="alert">.*<b><a href="/rules/[^"]*">R-\w+-\d+</a></b>', page.text, re.DOTALL
        )
        assert "Play:" not in page.text
        fields = {"as": seat, "line": "", "head": server.head(), "key": "k" * 20, "move": "bid 3"}
        refusal = send_form(server, "/games/k/moves", fields, token)
        assert refusal.status_code == 422
        assert "R-" in refusal.text


def test_offers_narrow_with_each_word(nim_server: GameServer, ann_token: str, ben_token: str) -> None:
    def offers(text: str, token: str = ann_token) -> list[str]:
        act_text = get_page(nim_server, f"/games/k?say={text}", token, **{"Zim-Part": "act"})
        assert "<html" not in act_text.text
        return offered_words(act_text.text)

    assert offers("") == ["1", "2", "3"], "all commands begin with take"
    assert offers("take+") == ["1", "2", "3"]
    assert offers("take+2") == []
    assert offers("", ben_token) == [], "it is not their turn"


def act_part(server: GameServer, seat: str, question: str) -> str:
    """What a seat can do now, as a part of its page."""
    return get_page(server, f"/games/k?{question}", server.seats[seat].token, **{"Zim-Part": "act"}).text


@pytest.fixture
def match_at_craft(tmp_path: Path) -> Iterator[GameServer]:
    """A position with many places for a potter."""
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options) as server:
        for move in moves[:15]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        yield server


def offered_words(part: str) -> list[str]:
    """The words offered below the row of verbs."""
    return re.findall('data-word="([^"]*)"', part.partition('id="found"')[2])


def test_omitted_offers_are_counted_and_advice_comes_last(match_at_craft: GameServer) -> None:
    part = act_part(match_at_craft, "lozi", "say=craft+potter")
    offer_count, omitted_count = (
        len(offered_words(part)),
        int(re.findall(r"and (\d+) more: type on, or tap", part)[0]),
    )
    assert (offer_count, offer_count + omitted_count) == (60, 171)
    assert part.index("Worth a look") > part.rindex("data-word=")


def test_an_unambiguous_word_opens_the_next_words(match_at_craft: GameServer) -> None:
    for text in ("craft", "craft+potter", "craft+wood-carver"):
        offers, offers_after_space = (
            offered_words(act_part(match_at_craft, "lozi", f"say={typed_text}")) for typed_text in (text, f"{text}+")
        )
        assert offers == offers_after_space, text
    assert 'data-word="potter"' in act_part(match_at_craft, "lozi", "say=craft+potte")


def test_squares_narrow_the_offers_and_can_be_removed(match_at_craft: GameServer) -> None:
    part_for_one = act_part(match_at_craft, "lozi", "say=craft+potter&square=e1")
    assert 'data-squares="e1" data-more=""' in part_for_one
    assert re.findall('data-lit="([^"]*)"', part_for_one) == ["d1 e1 e2"]
    assert "6 moves begin so at e1." in part_for_one
    part_for_two = act_part(match_at_craft, "lozi", "say=craft+potter&square=e1+d1")
    assert {*offered_words(part_for_two)} == {f"craft potter d1-e1 price {price}" for price in (1, 2, 3)}
    assert 'data-say="craft potter" data-squares="d1"' in part_for_two, "without e1"
    assert 'data-squares="q16"' in act_part(match_at_craft, "lozi", "say=craft+potter&square=e1+q16"), (
        "the other one instead"
    )
    assert 'data-squares=""' in act_part(match_at_craft, "lozi", "say=craft+potter+d1-e1&square=e1+d1"), "they are said"
    assert ": craft potter d1-e1 price 2</span></button>" in act_part(
        match_at_craft, "lozi", "say=craft+potter+d1-e1+price+2&square=e1"
    )


def test_a_square_without_moves_leaves_the_offers_unchanged(match_at_craft: GameServer) -> None:
    part_before, part_after = (act_part(match_at_craft, "lozi", f"say=&square={square}") for square in ("", "n9"))
    assert "Nothing can be played on n9." in part_after
    assert offered_words(part_before) == offered_words(part_after)
    assert "Worth a look" in part_after
    response = act_part(match_at_craft, "lozi", "say=craft+potter&square=e1+n9")
    assert "Nothing that begins so can be played on n9." in response
    assert 'data-squares="e1"' in response


@pytest.mark.parametrize(
    ("question", "suggestion"),
    [
        ("say=frob", ""),
        ("say=crft", "Try: " + " · ".join(f"craft wood_carver c1-c2 price {price}" for price in (1, 2, 3))),
        ("say=craft+potter+a1-a2+price+9", ""),
        ("ask=frob", "Try: plan · reach · preview · cards"),
        ("back=9&instead=frob", ""),
    ],
)
def test_suggestions_can_be_typed(match_at_craft: GameServer, question: str, suggestion: str) -> None:
    page = get_page(match_at_craft, f"/games/k?{question}", match_at_craft.seats["lozi"].token).text
    assert 'class="problem"' in page
    assert re.findall(r"Try: [^<]*", page) == ([suggestion] if suggestion else [])
    for move in suggestion.removeprefix("Try: ").split(" · ") if suggestion and question.startswith("say=") else ():
        move_page = get_page(match_at_craft, f"/games/k?say={quote(move)}", match_at_craft.seats["lozi"].token).text
        assert 'class="problem"' not in move_page, move


def test_a_question_without_an_answer_says_so(tmp_path: Path) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True, take_seats=False) as server:
        for move in moves:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        assert "There is no answer to that here" in get_page(server, "/games/k?ask=preview").text
        assert re.search(
            r"<strong>Zulu</strong> has won: \d+ VP, \d+ VR, \d+ cattle\.", get_page(server, "/games/k").text
        )


def test_a_player_agrees_to_house_rules_before_taking_a_seat(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}, take_seats=False) as server:
        options = {"players": "2", "xango": "absolute", "gu": "one-move"}
        body = {"kind": "zimbabwe", "options": options, "name": "z", "house": True}
        assert server.host("POST", "/v1/games", body).status_code == 409
        assert server.host("POST", "/v1/tables", body).json()["house"] == {"gu": "one-move", "xango": "absolute"}
        link = server.host("POST", "/v1/games/z/tokens", {"role": "seat", "seat": "kilwa"}).json()["token"]
        form = {"key": "k" * 20, "link": link, "by": "Ann"}
        refusal = send_form(server, "/join", form, Cookie=f"{TRIAL_COOKIE_NAME}=yes")
        assert (refusal.status_code, "Agree, and take the seat" in refusal.text) == (409, True)
        assert "xango=absolute" in refusal.text
        agreement = form_of(refusal, "/join")
        assert agreement["agreed"] == "gu=one-move xango=absolute"
        response = send_form(server, "/join", {**form, **agreement}, Cookie=f"{TRIAL_COOKIE_NAME}=yes")
        assert (response.status_code, response.headers["location"]) == (303, "/games/z?as=kilwa")


def test_a_link_becomes_a_cookie_that_no_script_reads(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}, take_seats=False) as server:
        link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ann"}).json()["token"]
        form = {"key": "k" * 20, "link": link, "by": "Ann"}
        refusal = send_form(server, "/join", form)
        assert refusal.status_code == 403, "without a cookie the seat would be lost"
        page = get_page(server, "/join")
        assert TRIAL_COOKIE_NAME in page.headers["set-cookie"]
        join_response = send_form(
            server, "/join", {**form, "key": form_of(page, "/join")["key"]}, Cookie=f"{TRIAL_COOKIE_NAME}=yes"
        )
        assert (join_response.status_code, join_response.headers["location"]) == (303, "/games/k?as=ann")
        set_cookie = join_response.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict", "Secure", "Path=/"} <= {*set_cookie.split("; ")}
        assert link not in set_cookie
        other_link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ben"}).json()["token"]
        form = {"key": "l" * 20, "link": other_link, "by": "<b>"}
        invalid_name_response = send_form(server, "/join", form, Cookie=f"{TRIAL_COOKIE_NAME}=yes")
        assert invalid_name_response.status_code == 409
        assert "not a name" in invalid_name_response.text
        assert f'name="link" value="{other_link}"' in invalid_name_response.text, (
            "the link is still good, and still there"
        )
        local_cookie = get_page(server, "/join", Host="127.0.0.1:8321").headers["set-cookie"]
        assert "HttpOnly" in local_cookie
        assert "Secure" not in local_cookie
        token = set_cookie.partition("=")[2].partition(";")[0]
        assert "you" in get_page(server, "/games/k", token).text
        leave_form = form_of(get_page(server, "/games/k", token), "/games/k/leave")
        leave_response = send_form(server, "/games/k/leave", leave_form, token)
        assert (leave_response.status_code, leave_response.headers["location"]) == (303, "/")
        assert "Max-Age=0" in leave_response.headers["set-cookie"]
        assert get_page(server, "/games/k", token).status_code == 401


def test_a_browser_in_a_lan_keeps_its_seat_without_tls(tmp_path: Path) -> None:
    lan_settings = replace(GENEROUS_SETTINGS, is_lan=True, host_names=WILDCARD_ADDRESSES)
    with game_server(tmp_path, "nim", {"seed": "7"}, settings=lan_settings, take_seats=False) as server:
        set_cookie = get_page(server, "/join", Host="192.168.1.5:8321").headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict"} <= {*set_cookie.split("; ")}
        assert "Secure" not in set_cookie
        for name in ("zim.example", "192.168.1.5.zim.example"):
            refusal = get_page(server, "/join", Host=name)
            assert (refusal.status_code, "set-cookie" in refusal.headers) == (421, False), name
        for public_host in (
            "93.184.216.34:8321",
            "[::ffff:93.184.216.34]",
        ):  # a public address has no name here, so no other site uses it
            assert "Secure" in get_page(server, "/join", Host=public_host).headers["set-cookie"].split("; "), (
                public_host
            )


def test_a_host_begins_a_game_and_gives_links_away(nim_server: GameServer, ann_token: str) -> None:
    host_token = nim_server.host.token
    lobby_page = get_page(nim_server, "/", host_token, ann_token)
    forms = re.findall(r'<form class="begin" action="/games" method="post">.*?</form>', lobby_page.text, re.DOTALL)
    nim_form = next(each for each in forms if 'value="nim"' in each)
    key = re.findall(r'name="key" value="([^"]*)"', nim_form)[0]
    fields = {"kind": "nim", "opt.players": "3", "opt.stones": "", "name": "heap", "key": key, "public": "on"}
    assert send_form(nim_server, "/games", fields, host_token).headers["location"] == "/games/heap?as=host"
    assert nim_server.service.position("heap").seats == ("ann", "ben", "cid")
    page = get_page(nim_server, "/games/heap", host_token)
    offer_key = re.findall(r'name="seat" value="cid"><input type="hidden" name="key" value="([^"]*)"', page.text)[0]
    response = send_form(nim_server, "/games/heap/links", {"seat": "cid", "key": offer_key}, host_token)
    assert re.search(r'value="https://testserver.local/join#zim_link_[\w-]+"', response.text)
    assert nim_server.http.get("/games/heap").status_code == 200, "it is public"
    chosen_deal = {**fields, "name": "pile", "key": "k" * 20, "opt.seed": "1"}
    assert send_form(nim_server, "/games", chosen_deal, host_token).headers["location"] == "/games/pile?as=host"
    hidden_deal = {"kind": "kuhn", "opt.seed": "1", "name": "bluff", "key": "h" * 20}
    assert send_form(nim_server, "/games", hidden_deal, host_token).status_code == 403, "you would know all cards"
    assert send_form(nim_server, "/games", fields, ann_token).status_code == 401
    assert send_form(nim_server, "/games/k/links", {"seat": "ben", "key": "k" * 20}, ann_token).status_code == 401
    assert "/games/heap" in get_page(nim_server, "/").text
    assert "/games/k" not in get_page(nim_server, "/").text


def test_the_lobby_lists_games_with_the_player_s_turn_first(
    nim_server: GameServer, ann_token: str, ben_token: str
) -> None:
    page = get_page(nim_server, "/", ben_token, ann_token).text
    assert page.index("as=ann") < page.index("as=ben")
    assert page.count("Your turn") == 1
    nim_server.play("take 1")
    page = get_page(nim_server, "/", ben_token, ann_token).text
    assert page.index("as=ben") < page.index("as=ann")


def test_a_page_and_its_files_are_small_and_of_our_origin(tmp_path: Path) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True, take_seats=False) as server:
        for move in moves[:150]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        page = server.http.get("/games/k", headers={"Accept": "text/html"})
        paths = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
        scripts = [server.http.get(path) for path in paths]
        imported_names = [re.findall(r'from "\./([\w.]+)"', each.text) for each in scripts]
        paths += [
            path.rpartition("/")[0] + "/" + name
            for path, names in zip(paths, imported_names, strict=True)
            for name in names
        ]
        total_bytes = 0
        for path in ["/games/k", "/games/k/steps", *paths]:
            response = server.http.get(path, headers={"Accept": "text/html"})
            assert response.status_code == 200, path
            assert response.headers["content-encoding"] == "gzip"
            assert "unsafe" not in response.headers["content-security-policy"]
            assert not re.search(
                r"""(src|href|action)=["'](https?:)?//|\bstyle=|\bon\w+=["']|javascript:""", response.text
            )
            total_bytes += int(response.headers["content-length"]) + len(str(response.headers))
        print(f"{total_bytes} bytes over the wire, {len(paths) + 2} requests")
        assert len(server.http.get("/games/k/steps").json()["steps"]) == 151
        assert total_bytes <= MAX_PAGE_BYTES
        assert "max-age=31536000" in server.http.get(paths[0]).headers["cache-control"]


def filled_form(page: httpx.Response, action: str, **fields: str) -> dict[str, str]:
    """The form with this action, with these fields filled in."""
    form_start = rf'<form[^>]*action="{re.escape(action)}" method="post"[^>]*>'
    form_text = re.findall(f"{form_start}(.*?)</form>", page.text, re.DOTALL)[0]
    hidden_fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form_text)
    return {name: html.unescape(value) for name, value in hidden_fields} | fields


def test_a_message_on_a_page_reaches_all_and_a_note_only_its_author(
    nim_server: GameServer, ann_token: str, ben_token: str
) -> None:
    for fields in ({"text": "good luck"}, {"text": "he took too many", "own": "on", "at": "0"}):
        form = filled_form(get_page(nim_server, "/games/k", ann_token), "/games/k/talk", **fields)
        for _ in range(2):
            assert send_form(nim_server, "/games/k/talk", form, ann_token).status_code == 303
    assert [each.text for each in nim_server.service.discussion("k").remarks] == ["good luck"], (
        "sent twice it is said once"
    )
    page = get_page(nim_server, "/games/k", ben_token).text
    assert "good luck" in page
    assert "too many" not in page
    page_of_ann = get_page(nim_server, "/games/k", ann_token).text
    assert re.search(r"to yourself.*at move 0.*too many", page_of_ann, re.DOTALL)
    assert send_form(nim_server, "/games/k/talk", {**form, "key": "k" * 20, "text": ""}, ann_token).status_code == 400


def test_a_takeback_request_shows_the_moves_that_would_be_undone(
    nim_server: GameServer, ann_token: str, ben_token: str
) -> None:
    nim_server.play("take 1", "take 2")
    page = get_page(nim_server, "/games/k?back=1", ann_token)
    assert "2 moves would be gone" in page.text
    form = filled_form(page, "/games/k/requests")
    assert form["steps"] == "2"
    assert send_form(nim_server, "/games/k/requests", form, ann_token).status_code == 303
    part = get_page(nim_server, "/games/k", ben_token, **{"Zim-Part": "act"}).text
    request_pattern = r"ann-player</b> asked to go back to the beginning.*2 moves would be gone.*take 1.*take 2"
    assert re.search(request_pattern, part, re.DOTALL)
    assert re.findall(r"<button>(\w+)</button>", part)[:2] == ["Accept", "Decline"]
    assert "Withdraw it" in get_page(nim_server, "/games/k", ann_token, **{"Zim-Part": "act"}).text
    answer_fields = {"key": "k" * 20, "as": "ben", "line": "", "head": nim_server.head()}
    assert (
        send_form(nim_server, "/games/k/requests/1", {**answer_fields, "status": "frob"}, ben_token).status_code == 400
    )
    assert (
        send_form(nim_server, "/games/k/requests/1", {**answer_fields, "status": "granted"}, ben_token).status_code
        == 303
    )
    assert nim_server.service.head("k").commit.number == 0
    assert "granted" in get_page(nim_server, "/games/k", ann_token).text


def test_a_takeback_is_declined_or_withdrawn_and_a_move_replaced(
    nim_server: GameServer, ann_token: str, ben_token: str
) -> None:
    nim_server.play("take 1", "take 2")
    for number, (status, token, seat) in enumerate(
        (("declined", ben_token, "ben"), ("withdrawn", ann_token, "ann")), 1
    ):
        form = filled_form(get_page(nim_server, "/games/k?back=1&instead=take+3", ann_token), "/games/k/requests")
        assert send_form(nim_server, "/games/k/requests", form, ann_token).status_code == 303
        reply_form = {"key": f"{number}" * 20, "as": seat, "line": "", "head": nim_server.head(), "status": status}
        assert send_form(nim_server, f"/games/k/requests/{number}", reply_form, token).status_code == 303
        assert nim_server.service.query(requests, PageQuery(), "k").requests[-1].status == status
    assert nim_server.service.head("k").commit.number == 2
    assert "unknown command" in get_page(nim_server, "/games/k?back=1&instead=frob", ann_token).text
    form_for_another_s_move = {**form, "key": "k" * 20, "at": "2", "instead": "take 1"}
    assert "not yours" in send_form(nim_server, "/games/k/requests", form_for_another_s_move, ann_token).text


def test_orders_are_given_and_taken_back_and_stay_private(
    nim_server: GameServer, ann_token: str, ben_token: str
) -> None:
    form = filled_form(get_page(nim_server, "/games/k", ben_token), "/games/k/orders", text="take 3")
    assert send_form(nim_server, "/games/k/orders", form, ben_token).status_code == 303
    assert "<b>take 3</b>" in get_page(nim_server, "/games/k", ben_token).text
    assert "<b>take 3</b>" not in get_page(nim_server, "/games/k", ann_token).text.partition('id="found"')[0]
    assert 'id="orders-list"' in get_page(nim_server, "/games/k", ann_token).text
    take_back_form = {"as": "ben", "line": "", "head": "", "key": "k" * 20}
    [order] = nim_server.service.orders("k", "ben", Viewer("ben")).orders
    assert send_form(nim_server, "/games/k/orders/x", take_back_form, ben_token).status_code == 404
    assert send_form(nim_server, f"/games/k/orders/{2**63}", take_back_form, ben_token).status_code == 400
    assert send_form(nim_server, f"/games/k/orders/{order.number}", take_back_form, ben_token).status_code == 303
    assert nim_server.service.orders("k", "ben", Viewer("ben")).orders == ()
    assert (
        send_form(nim_server, "/games/k/orders", {**form, "key": "o" * 20, "text": "frob"}, ben_token).status_code
        >= 400
    )
    assert send_form(nim_server, "/games/k/orders", {**form, "key": "p" * 20}, ben_token).status_code == 303
    nim_server.play("take 1")
    assert nim_server.service.head("k").commit.text == "take 3", "as soon as it is their turn"


def test_a_host_sets_the_clock_and_all_see_the_deadline_of_each_seat(nim_server: GameServer, ann_token: str) -> None:
    page = get_page(nim_server, "/games/k?as=host", nim_server.host.token)
    form = filled_form(page, "/games/k/terms", pace="3d", bank="7d", delay="")
    assert send_form(nim_server, "/games/k/terms", form, nim_server.host.token).status_code == 303
    page = get_page(nim_server, "/games/k", ann_token)
    assert re.search(r"<b>ann-player</b> <span class=\"seat-name\">Ann</span>\s*· has until <time datetime=", page.text)
    assert "a turn is to take 3d, and each has once 1w" in page.text
    assert send_form(nim_server, "/games/k/terms", {**form, "as": "ann", "key": "k" * 20}, ann_token).status_code == 403
    assert (
        send_form(
            nim_server, "/games/k/terms", {**form, "key": "l" * 20, "pace": "soon"}, nim_server.host.token
        ).status_code
        >= 400
    )


def seats_to_move_on_card(server: GameServer, token: str) -> Sequence[Seat]:
    card = card_of(server.service, authenticate(server.service, "k", token), "")
    return [player.seat for player in card.players if player.is_to_move]


def test_others_vote_on_a_seat_that_is_out_of_time(nim_server: GameServer, ann_token: str, ben_token: str) -> None:
    form = filled_form(
        get_page(nim_server, "/games/k?as=host", nim_server.host.token), "/games/k/terms", pace="1s", bank="", delay=""
    )
    assert send_form(nim_server, "/games/k/terms", form, nim_server.host.token).status_code == 303
    nim_server.play("take 1")  # each request advances the clock
    part_header = {"Zim-Part": "act"}
    assert "is out of time" in get_page(nim_server, "/games/k", ann_token, **part_header).text
    page_of_ben = get_page(nim_server, "/games/k", ben_token, **part_header).text
    assert "is out of time" in page_of_ben
    assert "/games/k/votes" not in page_of_ben, "it is their own"
    vote_form = filled_form(get_page(nim_server, "/games/k", ann_token), "/games/k/votes") | {"what": "end"}
    assert vote_form["seat"] == "ben"
    assert (
        send_form(nim_server, "/games/k/votes", {**vote_form, "key": "k" * 20, "what": "frob"}, ann_token).status_code
        == 400
    )
    assert seats_to_move_on_card(nim_server, ben_token) == ["ben"]
    assert send_form(nim_server, "/games/k/votes", vote_form, ann_token).status_code == 303
    assert "The players have ended it here" in get_page(nim_server, "/games/k", ben_token).text
    assert seats_to_move_on_card(nim_server, ben_token) == []
    assert 'class="to-move"' not in get_page(nim_server, "/", ben_token).text


def test_a_fair_game_is_dealt_when_all_seats_are_taken(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        host_token = server.host.token
        form = filled_form(get_page(server, "/", host_token), "/games", name="fair") | {"kind": "nim", "fair": "on"}
        assert send_form(server, "/games", form, host_token).headers["location"] == "/games/fair?as=host"
        tokens = []
        for seat in ("ann", "ben"):
            page = get_page(server, "/games/fair?as=host", host_token)
            assert "not dealt yet" in page.text
            link_form = {"seat": seat, "key": seat * 10}
            link = re.findall(
                r"zim_link_\w+[-\w]*", send_form(server, "/games/fair/links", link_form, host_token).text
            )[0]
            body = {"key": seat * 8, "link": link, "by": seat}
            response = server.http.post(
                "/join",
                data=body,
                headers={**SAME_ORIGIN, "Cookie": f"{TRIAL_COOKIE_NAME}=yes"},
                follow_redirects=False,
            )
            tokens.append(re.findall(r"zim_seat_[-\w]+", response.headers["set-cookie"])[0])
            assert get_page(server, "/", *tokens).status_code == 200
        assert re.search("Your turn|take", get_page(server, "/games/fair", tokens[0]).text)
        assert "not dealt" not in get_page(server, "/games/fair", tokens[1]).text


def test_a_game_is_begun_with_programs_terms_and_agreements(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        host_token = server.host.token
        form = filled_form(get_page(server, "/", host_token), "/games", name="kilwa-1", bots="zulu:quick", pace="3d")
        form |= {"kind": "zimbabwe", "opt.players": "kilwa,zulu", "takebacks": "never", "nohelp": "on"}
        for fault in ({"bots": "zulu"}, {"bots": "zulu:frob"}, {"pace": "soon"}, {"takebacks": "maybe"}):
            assert send_form(server, "/games", {**form, "key": "k" * 20, **fault}, host_token).status_code in (
                400,
                409,
                422,
            ), fault
        assert send_form(server, "/games", form, host_token).headers["location"] == "/games/kilwa-1?as=host"
        page = get_page(server, "/games/kilwa-1?as=host", host_token).text
        assert re.search(r"<b>Quick</b> <span class=\"seat-name\">Zulu</span>\s*\(a program\)", page)
        assert "a turn is to take 3d" in page
        server.service.prefetch("kilwa-1")
        discussion = server.service.discussion("kilwa-1")
        assert (discussion.takebacks, discussion.allows_help) == ("never", False)


def test_a_figure_links_to_its_explanation(tmp_path: Path) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True, take_seats=False) as server:
        for move in moves[:40]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        page = get_page(server, "/games/k")
        figures = set(re.findall(r'href="\?why=([\w.]+)"', page.text))
        assert {"zulu.vp", "kilwa.vr", "lozi.cattle"} <= figures
        part_header = {"Zim-Part": "study"}
        explanation = get_page(server, "/games/k?why=kilwa.vp&at=r3", **part_header).text
        assert re.search(r"<b title=\"kilwa.vp\">VP of .+?</b> is <b>\d+</b> after move \d+", explanation)
        assert re.search(r'data-step="\d+".*scores.*<b>\+\d', explanation)
        assert 'class="problem"' in get_page(server, "/games/k?why=frob.nicate", **part_header).text
        assert 'class="problem"' in get_page(server, "/games/k?ask=frob", **part_header).text
        assert "<caption>gods</caption>" in get_page(server, "/games/k?ask=cards", **part_header).text


def test_two_positions_are_compared_side_by_side(tmp_path: Path) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True, take_seats=False) as server:
        for move in moves[:40]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        page = get_page(server, "/games/k/compare?a=main@10&b=@40").text
        assert "They parted after move 10: 0 and 30 moves" in page
        assert page.count('<svg viewBox="-40 -40') == 2
        assert 'class="differs"' in page
        assert get_page(server, "/games/k/compare?a=nowhere&b=@4").status_code == 404
        assert get_page(server, "/games/k/chances").status_code == 409, "a running game shows no chances"


def test_a_finished_game_shows_the_judgements_of_an_analysis(tmp_path: Path) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    settings = replace(GENEROUS_SETTINGS, analyses_folder=tmp_path / "analyses")
    with game_server(tmp_path, "zimbabwe", options, public=True, take_seats=False, settings=settings) as server:
        for move in moves:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        assert get_page(server, "/games/k/chances").json()["better"] == []
        position, commits = server.service.position("k"), server.service.log("k")
        turns = [each for each, _, _ in iter_decisions(position.game, commits)]
        bid_turn, other_bid_turn = [each for each in turns if commits[each.first].text == "bid 2"][:2]
        cache = JudgementCache(
            judgement_path(tmp_path / "analyses", commits[0].digest), engine_version(position.game), 60, 0
        )
        equal_chances = {seat: Chance(0.25, 0.01) for seat in position.seats}
        blunder = JudgedTurn(
            chances_before=equal_chances,
            chances=equal_chances,
            chance=0.3,
            best_commands=("pass",),
            best_chance=0.5,
            loss=0.2,
            error=0.0,
            nodes=60,
        )
        for turn, judgement in ((bid_turn, blunder), (other_bid_turn, replace(blunder, loss=0.0))):
            cache.store(turn.digest, judgement)
        [better_turn] = get_page(server, "/games/k/chances").json()["better"]
        assert (better_turn["first"], better_turn["last"], better_turn["mark"]) == (bid_turn.first, bid_turn.last, "??")
        assert better_turn["said"].startswith("blunder, 20 points: better was pass")
        assert better_turn["line"] == ""
        line_name = f"better-{bid_turn.first}"
        server.service.fork(f"k@{bid_turn.first - 1}", line_name, by="anna", viewer=Viewer(None))
        server.service.play_or_raise(f"k/{line_name}", "bid 3", by="anna", seat=bid_turn.seat)
        [better_turn] = get_page(server, "/games/k/chances").json()["better"]
        assert better_turn["line"] == "", "it is called so, and something else was played there"
        server.service.fork(f"k@{bid_turn.first - 1}", f"{line_name}-2", by="anna", viewer=Viewer(None))
        server.service.play_or_raise(f"k/{line_name}-2", "pass", by="anna", seat=bid_turn.seat)
        [better_turn] = get_page(server, "/games/k/chances").json()["better"]
        assert better_turn["line"] == f"{line_name}-2"
        assert "better" in get_page(server, f"/games/k/chances?line={line_name}-2").json(), (
            "a line of a match that is over"
        )
        build_turn = next(each for each in turns if commits[each.first].text.startswith("build"))
        position_before = server.service.position(f"k@{build_turn.first - 1}")
        best_command = next(
            text for text in position_before.legal().texts("build") if text != commits[build_turn.first].text
        )
        cache.store(build_turn.digest, replace(blunder, best_commands=(best_command, "end")))
        ghosts = {each["first"]: each["ghost"] for each in get_page(server, "/games/k/chances").json()["better"]}
        assert any("+1 VP" in each for each in ghosts[build_turn.first]), "the better turn can be drawn on the board"
        assert not any("<path" in each for each in ghosts[bid_turn.first]), "a pass adds nothing"


def test_a_what_if_line_is_private_and_leads_back(nim_server: GameServer, ann_token: str, ben_token: str) -> None:
    nim_server.play("take 1", "take 2")
    form = filled_form(get_page(nim_server, "/games/k?at=1", ann_token), "/games/k/lines", name="what-if")
    assert form["at"] == "1"
    response = send_form(nim_server, "/games/k/lines", form, ann_token)
    assert (response.status_code, response.headers["location"]) == (303, "/games/k?as=ann&line=ann--what-if")
    page = get_page(nim_server, response.headers["location"], ann_token)
    assert "only you see it, and you play all seats" in page.text
    assert 'href="/games/k?as=ann">Back to the match' in page.text
    move_form = filled_form(
        get_page(nim_server, "/games/k?as=ann&line=ann--what-if&say=take+3", ann_token), "/games/k/moves"
    )
    assert send_form(nim_server, "/games/k/moves", move_form, ann_token).status_code == 303
    assert nim_server.service.head("k/ann--what-if").commit.text == "take 3"
    assert nim_server.service.head("k").commit.number == 2, "the match is as it was"
    assert "ann--what-if" not in get_page(nim_server, "/games/k", ben_token).text
    assert get_page(nim_server, "/games/k?as=ben&line=ann--what-if", ben_token).status_code == 404
    assert (
        "They parted after move 1"
        in get_page(nim_server, "/games/k/compare?as=ann&a=main&b=ann--what-if", ann_token).text
    )
    share_form = filled_form(
        get_page(nim_server, "/games/k?as=ann&line=ann--what-if", ann_token), "/games/k/share", name="better"
    )
    assert (
        send_form(nim_server, "/games/k/share", share_form, ann_token).headers["location"]
        == "/games/k?as=ann&line=better"
    )
    assert 'aria-label="better, 2 moves, from main at 1' in get_page(nim_server, "/games/k", ben_token).text
    second_fork = send_form(nim_server, "/games/k/lines", {**form, "key": "k" * 20, "name": "other"}, ann_token)
    forget_form = filled_form(get_page(nim_server, second_fork.headers["location"], ann_token), "/games/k/forget")
    assert send_form(nim_server, "/games/k/forget", forget_form, ann_token).headers["location"] == "/games/k?as=ann"
    assert "ann--other" not in nim_server.service.line_names("k")


def test_a_page_says_which_program_is_to_play_and_is_not_installed(nim_server: GameServer, ann_token: str) -> None:
    """A game that was imported names whatever its author liked."""
    for program in ("os:system", "clever"):
        nim_server.service.seat_bot("k", "ben", program, by="eve")
        page = get_page(nim_server, "/games/k", ann_token).text
        assert f"{program} is to play, but is not installed here" in page
        [command] = re.findall(r"types: zim (bot \S+ quick --for ben)", page)
    result = make_zim(nim_server.service)(*command.split())
    assert (result.exit_code, nim_server.service.bots("k")) == (0, {"ben": "quick"}), result.output
    assert "installed here" not in get_page(nim_server, "/games/k", ann_token).text


def test_programs_play_the_other_seats_on_a_line_of_a_finished_game(nim_server: GameServer, ann_token: str) -> None:
    nim_server.play("take 3", "take 1")
    form = filled_form(get_page(nim_server, "/games/k?at=1", ann_token), "/games/k/lines", name="early", bot="random")
    early_response = send_form(nim_server, "/games/k/lines", form, ann_token)
    assert early_response.status_code == 409
    assert "when the match is over" in early_response.text
    nim_server.play("take 3", "take 3")
    assert '<select name="bot" class="level">' in get_page(nim_server, "/games/k", ann_token).text
    form = filled_form(get_page(nim_server, "/games/k?at=1", ann_token), "/games/k/lines", name="try", bot="random")
    for _ in range(2):  # sent twice it is done once
        response = send_form(nim_server, "/games/k/lines", form, ann_token)
        assert (response.status_code, response.headers["location"]) == (303, "/games/k?as=ann&line=ann--try")
    nim_server.service.names("k")
    assert nim_server.service.bots("k/ann--try") == {"ben": "random"}
    assert nim_server.service.bots("k") == {}, "the match is as it was"
    wait_for(lambda: nim_server.service.head("k/ann--try").commit.number > 1)
    page = get_page(nim_server, "/games/k?as=ann&line=ann--try", ann_token).text
    assert "a program plays" in page
    assert "Your turn" in page


HOSTILE_NAMES = ['<script>alert(1)</script>"', "'\"><img src=x onerror=alert(1)>", "\u202eevil</title>", "{{ 7*7 }}"]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_are_escaped_on_every_page(tmp_path: Path, name: str) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}, public=True, take_seats=False) as server:
        token, link = new_token("seat", stream := server.service.stream_of("k")), new_token("link", stream)
        seat_events: list[NameEvent] = [
            SeatOffered("ann", id_of(link), digest(link)),
            SeatTaken(
                "ann", id_of(link), name, id_of(token), digest(token)
            ),  # stored directly: the server would refuse such a name
        ]
        server.service.change_members("k", lambda _: seat_events, by="hanna")
        quoted_name = quote(name)
        for path in (
            "/games/k",
            f"/games/k?say={quoted_name}",
            f"/games/k?as={quoted_name}",
            f"/games/k?at={quoted_name}",
            f"/{quoted_name}",
        ):
            response = get_page(server, path, token)
            assert response.status_code < 500
            assert not re.search(r"<script>|<img|\u202e|\b49\b|</title>.*</title>", response.text, re.DOTALL)
        assert html.escape(printable(name)) in get_page(server, "/games/k", token).text.replace(
            "&#34;", "&quot;"
        ).replace("&#39;", "&#x27;")


def all_responses(server: GameServer, role: str) -> list[tuple[str, int, str]]:
    """Everything that a visitor's browser can receive."""
    token = {**server.seats, "host": server.host, "spectator": server.token("spectator")}[role].token
    server.http.app.state.dispatcher.feeds.is_closing = True
    typed_texts = (
        "",
        "move",
        "move+",
        "draw",
        "buy+",
        "join",
        "end",
        "france: draw",
        "move+lagos+violet",
        "turn+north+left",
    )
    paths = [f"/games/k?say={text}" for text in typed_texts] + [f"/games/k?at={place}" for place in (0, 2, 5, "r1", 99)]
    paths += [
        "/",
        "/games/k/steps",
        "/games/k/replay",
        "/games/k/board.svg",
        "/games/k/board.svg?at=2",
        "/games/k/board.png",
        "/rules/africana",
        "/games/k/certificate",
        "/games/k?square=cairo",
    ]
    questions = (
        "why=france.cards",
        "why=france.hand",
        "why=italy.hand",
        "why=cairo",
        "ask=plan",
        "ask=plan+france",
        "ask=hint",
    )
    paths += [f"/games/k?{each}" for each in (*questions, "back=1", "back=3&instead=draw")]
    paths += ["/games/k/compare?a=main@2&b=main", "/games/k/chances"]
    responses = []
    for path in paths:
        parts = ("around", "study") if "=" in path and "say=" not in path else ("act",)
        for part_header in ({}, *({"Zim-Part": name} for name in parts)):
            response = get_page(server, path, token, **part_header)
            responses.append((path, response.status_code, without_keys(response.text)))
    for last_id in ("0.0", "3.1", ""):
        response = server.http.get("/games/k/feed", headers={**cookie_header(token), "Last-Event-ID": last_id})
        responses.append((f"feed {last_id}", response.status_code, without_keys(response.text)))
    for move in ("draw", "end", "buy south left", "move lagos violet", "frob"):
        form = {"as": role, "line": "", "head": server.head(), "key": "k" * 20 + move.replace(" ", ""), "move": move}
        response = send_form(server, "/games/k/moves", form, token)
        responses.append((f"POST {move}", response.status_code, without_keys(response.text)))
    return responses


def without_keys(text: str) -> str:
    """A text without digests and keys of forms."""
    return re.sub(r'name="key" value="[^"]*"', "KEY", mask_digests(text))


@pytest.mark.parametrize("role", ["italy", "host", "spectator"])
def test_other_hidden_cards_change_no_byte_of_any_page(tmp_path: Path, role: str) -> None:
    with match_with_deal(tmp_path / "one", ORIGINAL_DEAL) as server:
        first_responses = all_responses(server, role)
    with match_with_deal(tmp_path / "other", deal_other_hidden_cards) as server:
        other_responses = all_responses(server, role)
    for first_response, other_response in zip(first_responses, other_responses, strict=True):
        assert first_response == other_response
    assert 200 in {status for _, status, _ in first_responses}
    assert not {500, 501, 503} & {status for _, status, _ in first_responses}


def test_pages_differ_for_a_viewer_who_sees_the_cards(tmp_path: Path) -> None:
    """Shows that the test above can fail."""
    pages = []
    for name, deal in (("one", ORIGINAL_DEAL), ("other", deal_other_hidden_cards)):
        with match_with_deal(tmp_path / name, deal) as server:
            token = server.seats["france"].token
            pages.append([without_keys(get_page(server, path, token).text) for path in ("/games/k", "/games/k/steps")])
    assert all(first_page != second_page for first_page, second_page in zip(*pages, strict=True))


def test_an_own_line_of_a_game_with_hidden_cards_promises_no_other_seat(tmp_path: Path) -> None:
    with match_with_deal(tmp_path / "one", ORIGINAL_DEAL) as server:
        token = server.seats["italy"].token
        form = filled_form(get_page(server, "/games/k?at=1", token), "/games/k/lines", name="what-if")
        page = get_page(server, send_form(server, "/games/k/lines", form, token).headers["location"], token)
    assert "only you see it" in page.text
    assert "you play all seats" not in page.text


def test_a_link_on_another_site_leads_to_the_game(nim_server: GameServer, ann_token: str) -> None:
    """A browser sends no strict cookie with the first request: the page that it gets asks once more."""
    cross_site_headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    page = get_page(nim_server, "/games/k?as=ann", **cross_site_headers)
    [url] = re.findall(r'content="0; url=([^"]*)"', page.text)
    assert html.unescape(url) == "/games/k?as=ann&here=1"
    assert get_page(nim_server, html.unescape(url), ann_token, **cross_site_headers).text.count("Your turn") == 1


def test_an_entry_of_the_log_is_rendered_once_and_tables_once_a_part(
    nim_server: GameServer, ann_token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a page that was shown, a move after it, and a person with another name at a seat."""
    rendered, made_tables = list[str](), list[Position]()
    original_tables = Position.tables

    def render_and_note(template: str, **values: object) -> str:
        rendered.append(template)
        return render_template(template, **values)

    def note_tables(position: Position) -> object:
        made_tables.append(position)
        return original_tables.fget(position)  # type: ignore[attr-defined]

    monkeypatch.setattr(log_entries, "_entries", {})
    monkeypatch.setattr(log_entries, "render_template", render_and_note)
    monkeypatch.setattr(Position, "tables", property(note_tables))
    nim_server.play("take 1", "take 2")
    pages = [get_page(nim_server, "/games/k", ann_token).text for _ in range(2)]
    assert (len(rendered), pages[0].count("data-step="), pages[1].count("data-step=")) == (3, 3, 3)
    assert len(made_tables) <= 2 * 4, "not once for each figure of each seat"
    nim_server.play("take 1")
    assert get_page(nim_server, "/games/k", ann_token).text.count("data-step=") == 4
    assert len(rendered) == 4, "only the new move"


def test_kept_entries_are_bounded_and_those_of_different_views_differ(
    nim_server: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_entries, "_entries", {})
    monkeypatch.setattr(log_entries, "MAX_ENTRIES", 3)
    nim_server.play("take 1", "take 2")
    commits = nim_server.service.log("k")
    for people in ({"ann": "Anna"}, {"ann": "<b>Bob</b>"}):
        html_text = log_entries.render_entries(commits, people, "as=x&", colours={})
        assert ("Anna" in html_text, "&lt;b&gt;Bob" in html_text) == (
            "Anna" in people.values(),
            "Anna" not in people.values(),
        )
        assert "<b>Bob" not in html_text
    assert len(log_entries._entries) == 3


@pytest.mark.parametrize("names", [("Mutapa", "ann"), ("A-name-of-thirty-two-characters.", "Ann.O'Neill-b")])
def test_people_have_one_unique_name_wherever_they_are_named(tmp_path: Path, names: tuple[str, str]) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}, public=True, take_seats=False) as server:
        seats = server.service.position("k").seats
        server.seats = {seat: server.sit(seat, name) for seat, name in zip(seats, names, strict=True)}
        for _ in range(12):
            position = server.service.position("k")
            texts = [*position.legal().texts()]
            server.play(next((text for text in texts if text in ("pass", "end")), texts[0]))
        page_text = get_page(server, "/games/k").text
        people = names_of_people(dict(zip(seats, names, strict=True)))
        assert len({*people.values()}) == 2
        for place in ("seatbar", "now", "log", "status"):
            shown = html.unescape(re.sub(r"<small.*?</small>|<[^>]*>", "", part_of_page(page_text, place)))
            for name in people.values():
                shown = shown.replace(name, "")
            assert not re.search(r"(?i)\b(kilwa|mutapa)\b", shown), (place, shown)
            assert not any(name in shown for name in names), (place, shown)


def part_of_page(page_text: str, element_id: str) -> str:
    """The text from an element with an id to the next element with one."""
    [part] = re.findall(rf'id="{element_id}"[^>]*>(.*?)(?= id=|\Z)', page_text, re.DOTALL)
    return str(part)
