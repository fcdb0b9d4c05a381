"""Pages as sent: which visitor gets which, where forms may come from, and what no page has."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from msgspec.structs import replace

from tests.cli.test_africana_eyes import DEAL, deal_otherwise
from tests.picture.conftest import demo_line
from tests.server.game_server import GENEROUS, GameServer, game_server
from tests.server.network import wait_for
from tests.server.test_secrets import hexless, match_with_deal
from zimcore.analysis.judgement_cache import JudgementCache
from zimcore.analysis.judgement_files import file_in
from zimcore.analysis.judging import JudgedTurn
from zimcore.analysis.match_analysis import decisions, engine
from zimcore.chances import Chance
from zimcore.games import zimbabwe
from zimcore.server.host_header import EVERYWHERE
from zimcore.server.pages.browser import PREFIX, TRIAL
from zimcore.server.tokens import digest, id_of, new_token
from zimcore.service import Viewer
from zimcore.service.memberships import SeatOffered, SeatTaken
from zimcore.service.names import NameEvent
from zimcore.toolkit.printable import printable

OWN = {"Origin": "http://testserver.local", "Sec-Fetch-Site": "same-origin"}
FEW = 120_000
"""Bytes over the wire for the first view of a game of 150 moves."""


def cookie(*tokens: str) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{PREFIX}{id_of(each)}={each}" for each in tokens)}


def get_page(server: GameServer, path: str, *tokens: str, **headers: str) -> httpx.Response:
    answer: httpx.Response = server.http.get(path, headers={"Accept": "text/html", **cookie(*tokens), **headers})
    return answer


def send_form(server: GameServer, path: str, form: dict[str, str], *tokens: str, **headers: str) -> httpx.Response:
    """A form as a browser sends it, from the page with these fields."""
    answer: httpx.Response = server.http.post(
        path, data=form, headers={**OWN, **cookie(*tokens), **headers}, follow_redirects=False
    )
    return answer


def form_of(page: httpx.Response, action: str) -> dict[str, str]:
    """The hidden fields of the form that goes there."""
    [form] = re.findall(rf'<form[^>]*action="{re.escape(action)}" method="post">(.*?)</form>', page.text, re.DOTALL)
    return {
        name: html.unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
    }


@pytest.fixture
def ann(nim: GameServer) -> str:
    return nim.seats["ann"].token


@pytest.fixture
def ben(nim: GameServer) -> str:
    return nim.seats["ben"].token


def test_a_cookie_counts_for_pages_and_nowhere_else(nim: GameServer, ann: str) -> None:
    assert get_page(nim, "/games/k", ann).status_code == 200
    for path in (nim.path, nim.main, f"{nim.main}/feed", "/v1/games", "/v1/tokens", f"{nim.path}/tokens"):
        assert nim.http.get(path, headers=cookie(ann)).status_code == 401, path
    headers = {**cookie(ann), **OWN, "Idempotency-Key": "k", "If-Match": "*"}
    assert nim.http.post(f"{nim.main}/moves", json={"move": "take 1"}, headers=headers).status_code == 401


def test_who_has_no_token_sees_a_page_that_says_so_and_no_game(nim: GameServer) -> None:
    nothing = get_page(nim, "/games/k")
    assert nothing.status_code == 401
    assert "token" not in nothing.text
    assert "Open the link that the host has sent you" in nothing.text
    assert "Bearer" not in nothing.text
    assert nothing.headers["content-type"].startswith("text/html")
    for path in ("steps", "feed", "replay", "certificate"):
        assert nim.http.get(f"/games/k/{path}").status_code == 401
    assert get_page(nim, "/games/other").status_code == nothing.status_code, "what is not there looks the same"
    assert "This browser has no seat here" in get_page(nim, "/games/k?as=ben").text


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
def test_a_form_from_elsewhere_does_nothing(nim: GameServer, ann: str, headers: dict[str, str]) -> None:
    form = {**form_of(get_page(nim, "/games/k?say=take+1", ann), "/games/k/moves"), "move": "take 1"}
    for path in ("/games/k/moves", "/games/k/undo", "/games/k/leave", "/games/k/links", "/games", "/join"):
        answer = nim.http.post(path, data=form, headers={**cookie(ann), **headers}, follow_redirects=False)
        assert answer.status_code == 403, path
        assert "set-cookie" not in answer.headers
    assert nim.service.head("k").commit.number == 0


def test_a_form_plays_once_and_can_be_taken_back(nim: GameServer, ann: str) -> None:
    page = get_page(nim, "/games/k?say=take+2", ann)
    assert 'Play<span class="sr">: take 2</span>' in page.text
    form = form_of(page, "/games/k/moves")
    for _ in range(2):
        answer = send_form(nim, "/games/k/moves", form, ann)
        assert (answer.status_code, answer.headers["location"]) == (303, "/games/k?as=ann")
    assert nim.service.head("k").commit.text == "take 2"
    undo = form_of(get_page(nim, "/games/k", ann), "/games/k/undo")
    assert send_form(nim, "/games/k/undo", undo, ann).status_code == 303
    assert nim.service.head("k").commit.number == 0


def test_a_page_that_is_out_of_date_plays_nothing_and_says_so(nim: GameServer, ann: str, ben: str) -> None:
    form = form_of(get_page(nim, "/games/k?say=take+2", ann), "/games/k/moves")
    nim.play("take 1", "take 1")
    answer = send_form(nim, "/games/k/moves", form, ann)
    assert answer.status_code == 412
    assert "has moved on" in answer.text
    assert nim.service.head("k").commit.number == 2


def test_a_refusal_is_explained_in_words_with_its_rule(tmp_path: Path) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}) as server:
        seat = server.service.head("k").to_move[0]
        token = server.seats[seat].token
        page = get_page(server, "/games/k?say=bid+3", token)
        assert re.search(r'<div class="problem" role="alert">.*<b>R-\w+-\d+</b>', page.text, re.DOTALL)
        assert "Play:" not in page.text
        fields = {"as": seat, "line": "", "head": server.head(), "key": "k" * 20, "move": "bid 3"}
        refusal = send_form(server, "/games/k/moves", fields, token)
        assert refusal.status_code == 422
        assert "R-" in refusal.text


def test_what_can_be_played_narrows_with_each_word(nim: GameServer, ann: str, ben: str) -> None:
    def offers(say: str, token: str = ann) -> list[str]:
        part = get_page(nim, f"/games/k?say={say}", token, **{"Zim-Part": "act"})
        assert "<html" not in part.text
        return re.findall(r'data-word="([^"]*)"', part.text)

    assert offers("") == ["1", "2", "3"], "all commands begin with take"
    assert offers("take+") == ["1", "2", "3"]
    assert offers("take+2") == []
    assert offers("", ben) == [], "it is not their turn"


def acting(server: GameServer, seat: str, question: str) -> str:
    """What a seat can do now, as a part of its page."""
    return get_page(server, f"/games/k?{question}", server.seats[seat].token, **{"Zim-Part": "act"}).text


@pytest.fixture
def crafting(tmp_path: Path) -> Iterator[GameServer]:
    """A position with many places for a potter."""
    options, moves = demo_line(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options) as server:
        for move in moves[:15]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        yield server


def test_what_is_left_out_is_counted_and_what_is_worth_a_look_comes_first(crafting: GameServer) -> None:
    part = acting(crafting, "lozi", "say=craft+potter")
    offered, more = len(re.findall('data-word="', part)), int(re.findall(r"and (\d+) more: type on, or tap", part)[0])
    assert (offered, offered + more) == (60, 171)
    assert part.index("Worth a look") < part.index("data-word=")


def test_a_whole_word_opens_what_follows_it_where_nothing_else_begins_so(crafting: GameServer) -> None:
    for say in ("craft", "craft+potter", "craft+wood-carver"):
        words, spaced = (
            re.findall('data-word="[^"]*"', acting(crafting, "lozi", f"say={each}")) for each in (say, f"{say}+")
        )
        assert words == spaced, say
    assert 'data-word="potter"' in acting(crafting, "lozi", "say=craft+potte")


def test_squares_narrow_what_can_be_meant_and_each_can_be_left_out(crafting: GameServer) -> None:
    one = acting(crafting, "lozi", "say=craft+potter&square=e1")
    assert 'data-squares="e1" data-more=""' in one
    assert re.findall('data-lit="([^"]*)"', one) == ["d1 e1 e2"]
    assert "6 moves begin so at e1." in one
    both = acting(crafting, "lozi", "say=craft+potter&square=e1+d1")
    assert {*re.findall('data-word="([^"]*)"', both)} == {f"craft potter d1-e1 price {price}" for price in (1, 2, 3)}
    assert 'data-say="craft potter" data-squares="d1"' in both, "without e1"
    assert 'data-squares="q16"' in acting(crafting, "lozi", "say=craft+potter&square=e1+q16"), "the other one instead"
    assert 'data-squares=""' in acting(crafting, "lozi", "say=craft+potter+d1-e1&square=e1+d1"), "they are said"
    assert ": craft potter d1-e1 price 2</span></button>" in acting(
        crafting, "lozi", "say=craft+potter+d1-e1+price+2&square=e1"
    )


def test_a_square_on_which_nothing_can_be_played_leaves_all_as_it_was(crafting: GameServer) -> None:
    before, after = (acting(crafting, "lozi", f"say=&square={square}") for square in ("", "n9"))
    assert "Nothing can be played on n9." in after
    assert re.findall('data-word="[^"]*"', before) == re.findall('data-word="[^"]*"', after)
    assert "Worth a look" in after
    response = acting(crafting, "lozi", "say=craft+potter&square=e1+n9")
    assert "Nothing that begins so can be played on n9." in response
    assert 'data-squares="e1"' in response


@pytest.mark.parametrize(
    ("question", "suggested"),
    [
        ("say=frob", ""),
        ("say=crft", "Try: " + " · ".join(f"craft wood_carver c1-c2 price {price}" for price in (1, 2, 3))),
        ("say=craft+potter+a1-a2+price+9", ""),
        ("ask=frob", "Try: plan · reach · preview · cards"),
        ("back=9&instead=frob", ""),
    ],
)
def test_only_what_can_be_typed_there_is_suggested(crafting: GameServer, question: str, suggested: str) -> None:
    page = get_page(crafting, f"/games/k?{question}", crafting.seats["lozi"].token).text
    assert 'class="problem"' in page
    assert re.findall(r"Try: [^<]*", page) == ([suggested] if suggested else [])
    for move in suggested.removeprefix("Try: ").split(" · ") if suggested and question.startswith("say=") else ():
        answer = get_page(crafting, f"/games/k?say={quote(move)}", crafting.seats["lozi"].token).text
        assert 'class="problem"' not in answer, move


def test_a_question_that_has_no_answer_says_so(tmp_path: Path) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True, sit=False) as server:
        for move in moves:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        assert "There is no answer to that here" in get_page(server, "/games/k?ask=preview").text
        assert re.search(
            r"<strong>Zulu</strong> has won: \d+ VP, \d+ VR, \d+ cattle\.", get_page(server, "/games/k").text
        )


def test_who_takes_a_seat_by_house_rules_agrees_to_them_first(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}, sit=False) as server:
        options = {"players": "2", "xango": "absolute", "gu": "one-move"}
        body = {"kind": "zimbabwe", "options": options, "name": "z", "house": True}
        assert server.host("POST", "/v1/games", body).status_code == 409
        assert server.host("POST", "/v1/tables", body).json()["house"] == {"gu": "one-move", "xango": "absolute"}
        link = server.host("POST", "/v1/games/z/tokens", {"role": "seat", "seat": "kilwa"}).json()["token"]
        form = {"key": "k" * 20, "link": link, "by": "Ann"}
        response = send_form(server, "/join", form, Cookie=f"{TRIAL}=yes")
        assert (response.status_code, "Agree, and take the seat" in response.text) == (409, True)
        assert "xango=absolute" in response.text
        agreement = form_of(response, "/join")
        assert agreement["agreed"] == "gu=one-move xango=absolute"
        taken = send_form(server, "/join", {**form, **agreement}, Cookie=f"{TRIAL}=yes")
        assert (taken.status_code, taken.headers["location"]) == (303, "/games/z?as=kilwa")


def test_a_link_becomes_a_cookie_that_no_script_reads(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}, sit=False) as server:
        link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ann"}).json()["token"]
        form = {"key": "k" * 20, "link": link, "by": "Ann"}
        refusal = send_form(server, "/join", form)
        assert refusal.status_code == 403, "without a cookie the seat would be lost"
        page = get_page(server, "/join")
        assert TRIAL in page.headers["set-cookie"]
        answer = send_form(server, "/join", {**form, "key": form_of(page, "/join")["key"]}, Cookie=f"{TRIAL}=yes")
        assert (answer.status_code, answer.headers["location"]) == (303, "/games/k?as=ann")
        set_cookie = answer.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict", "Secure", "Path=/"} <= {*set_cookie.split("; ")}
        assert link not in set_cookie
        other = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ben"}).json()["token"]
        form = {"key": "l" * 20, "link": other, "by": "<b>"}
        nobody = send_form(server, "/join", form, Cookie=f"{TRIAL}=yes")
        assert nobody.status_code == 409
        assert "not a name" in nobody.text
        assert f'name="link" value="{other}"' in nobody.text, "the link is still good, and still there"
        local = get_page(server, "/join", Host="127.0.0.1:8321").headers["set-cookie"]
        assert "HttpOnly" in local
        assert "Secure" not in local
        token = set_cookie.partition("=")[2].partition(";")[0]
        assert "you" in get_page(server, "/games/k", token).text
        left = form_of(get_page(server, "/games/k", token), "/games/k/leave")
        response = send_form(server, "/games/k/leave", left, token)
        assert (response.status_code, response.headers["location"]) == (303, "/")
        assert "Max-Age=0" in response.headers["set-cookie"]
        assert get_page(server, "/games/k", token).status_code == 401


def test_in_a_lan_a_browser_keeps_its_seat_without_tls(tmp_path: Path) -> None:
    lan = replace(GENEROUS, lan=True, names=EVERYWHERE)
    with game_server(tmp_path, "nim", {"seed": "7"}, settings=lan, sit=False) as server:
        set_cookie = get_page(server, "/join", Host="192.168.1.5:8321").headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict"} <= {*set_cookie.split("; ")}
        assert "Secure" not in set_cookie
        for name in ("zim.example", "192.168.1.5.zim.example"):
            refused = get_page(server, "/join", Host=name)
            assert (refused.status_code, "set-cookie" in refused.headers) == (421, False), name
        for public in ("93.184.216.34:8321", "[::ffff:93.184.216.34]"):  # no name leads here, so no other site does
            assert "Secure" in get_page(server, "/join", Host=public).headers["set-cookie"].split("; "), public


def test_a_host_begins_a_game_and_gives_links_away(nim: GameServer, ann: str) -> None:
    host = nim.host.token
    lobby = get_page(nim, "/", host, ann)
    forms = re.findall(r'<form class="begin" action="/games" method="post">.*?</form>', lobby.text, re.DOTALL)
    kind = next(each for each in forms if 'value="nim"' in each)
    key = re.findall(r'name="key" value="([^"]*)"', kind)[0]
    form = {"kind": "nim", "opt.players": "3", "opt.stones": "", "name": "heap", "key": key, "public": "on"}
    assert send_form(nim, "/games", form, host).headers["location"] == "/games/heap?as=host"
    assert nim.service.position("heap").seats == ("ann", "ben", "cid")
    page = get_page(nim, "/games/heap", host)
    offer = re.findall(r'name="seat" value="cid"><input type="hidden" name="key" value="([^"]*)"', page.text)[0]
    response = send_form(nim, "/games/heap/links", {"seat": "cid", "key": offer}, host)
    assert re.search(r'value="https://testserver.local/join#zim_link_[\w-]+"', response.text)
    assert nim.http.get("/games/heap").status_code == 200, "it is public"
    assert send_form(nim, "/games", {**form, "key": "k" * 20, "opt.seed": "1"}, host).status_code == 403
    assert send_form(nim, "/games", form, ann).status_code == 401
    assert send_form(nim, "/games/k/links", {"seat": "ben", "key": "k" * 20}, ann).status_code == 401
    assert "/games/heap" in get_page(nim, "/").text
    assert "/games/k" not in get_page(nim, "/").text


def test_the_lobby_has_games_first_in_which_it_is_ones_turn(nim: GameServer, ann: str, ben: str) -> None:
    page = get_page(nim, "/", ben, ann).text
    assert page.index("as=ann") < page.index("as=ben")
    assert page.count("Your turn") == 1
    nim.play("take 1")
    page = get_page(nim, "/", ben, ann).text
    assert page.index("as=ben") < page.index("as=ann")


def test_all_that_a_page_is_made_of_is_small_and_ours(tmp_path: Path) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True, sit=False) as server:
        for move in moves[:150]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        page = server.http.get("/games/k", headers={"Accept": "text/html"})
        paths = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
        scripts = [server.http.get(path) for path in paths]
        more = [re.findall(r'from "\./([\w.]+)"', each.text) for each in scripts]
        paths += [
            path.rpartition("/")[0] + "/" + name for path, names in zip(paths, more, strict=True) for name in names
        ]
        total = 0
        for path in ["/games/k", "/games/k/steps", *paths]:
            answer = server.http.get(path, headers={"Accept": "text/html"})
            assert answer.status_code == 200, path
            assert answer.headers["content-encoding"] == "gzip"
            assert "unsafe" not in answer.headers["content-security-policy"]
            assert not re.search(
                r"""(src|href|action)=["'](https?:)?//|\bstyle=|\bon\w+=["']|javascript:""", answer.text
            )
            total += int(answer.headers["content-length"]) + len(str(answer.headers))
        print(f"{total} bytes over the wire, {len(paths) + 2} requests")
        assert len(server.http.get("/games/k/steps").json()["steps"]) == 151
        assert total <= FEW
        assert "max-age=31536000" in server.http.get(paths[0]).headers["cache-control"]


def asked_of(page: httpx.Response, action: str, **fields: str) -> dict[str, str]:
    """The form that goes there, as it is sent with these fields filled in."""
    begins = rf'<form[^>]*action="{re.escape(action)}" method="post"[^>]*>'
    form = re.findall(f"{begins}(.*?)</form>", page.text, re.DOTALL)[0]
    hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: html.unescape(value) for name, value in hidden} | fields


def test_a_message_on_a_page_reaches_all_and_a_note_only_its_author(nim: GameServer, ann: str, ben: str) -> None:
    for more in ({"text": "good luck"}, {"text": "he took too many", "own": "on", "at": "0"}):
        form = asked_of(get_page(nim, "/games/k", ann), "/games/k/talk", **more)
        for _ in range(2):
            assert send_form(nim, "/games/k/talk", form, ann).status_code == 303
    assert [each.text for each in nim.service.discussion("k").talk] == ["good luck"], "sent twice it is said once"
    page = get_page(nim, "/games/k", ben).text
    assert "good luck" in page
    assert "too many" not in page
    own = get_page(nim, "/games/k", ann).text
    assert re.search(r"to yourself.*at move 0.*too many", own, re.DOTALL)
    assert send_form(nim, "/games/k/talk", {**form, "key": "k" * 20, "text": ""}, ann).status_code == 400


def test_others_are_asked_for_a_takeback_and_see_what_would_be_gone(nim: GameServer, ann: str, ben: str) -> None:
    nim.play("take 1", "take 2")
    page = get_page(nim, "/games/k?back=1", ann)
    assert "2 moves would be gone" in page.text
    form = asked_of(page, "/games/k/requests")
    assert form["steps"] == "2"
    assert send_form(nim, "/games/k/requests", form, ann).status_code == 303
    part = get_page(nim, "/games/k", ben, **{"Zim-Part": "act"}).text
    wish = r"ann-player</b> asked to go back to the beginning.*2 moves would be gone.*take 1.*take 2"
    assert re.search(wish, part, re.DOTALL)
    assert re.findall(r"<button>(\w+)</button>", part)[:2] == ["Accept", "Decline"]
    assert "Withdraw it" in get_page(nim, "/games/k", ann, **{"Zim-Part": "act"}).text
    key = {"key": "k" * 20, "as": "ben", "line": "", "head": nim.head()}
    assert send_form(nim, "/games/k/requests/1", {**key, "status": "frob"}, ben).status_code == 400
    assert send_form(nim, "/games/k/requests/1", {**key, "status": "granted"}, ben).status_code == 303
    assert nim.service.head("k").commit.number == 0
    assert "granted" in get_page(nim, "/games/k", ann).text


def test_a_takeback_is_declined_or_withdrawn_and_a_move_replaced(nim: GameServer, ann: str, ben: str) -> None:
    nim.play("take 1", "take 2")
    for number, (status, token, seat) in enumerate((("declined", ben, "ben"), ("withdrawn", ann, "ann")), 1):
        form = asked_of(get_page(nim, "/games/k?back=1&instead=take+3", ann), "/games/k/requests")
        assert send_form(nim, "/games/k/requests", form, ann).status_code == 303
        reply = {"key": f"{number}" * 20, "as": seat, "line": "", "head": nim.head(), "status": status}
        assert send_form(nim, f"/games/k/requests/{number}", reply, token).status_code == 303
        assert nim.service.requests("k")[-1].status == status
    assert nim.service.head("k").commit.number == 2
    assert "unknown command" in get_page(nim, "/games/k?back=1&instead=frob", ann).text
    theirs = {**form, "key": "k" * 20, "at": "2", "instead": "take 1"}
    assert "not yours" in send_form(nim, "/games/k/requests", theirs, ann).text


def test_orders_are_given_and_taken_back_and_stay_private(nim: GameServer, ann: str, ben: str) -> None:
    form = asked_of(get_page(nim, "/games/k", ben), "/games/k/orders", text="take 3")
    assert send_form(nim, "/games/k/orders", form, ben).status_code == 303
    assert "<b>take 3</b>" in get_page(nim, "/games/k", ben).text
    assert "<b>take 3</b>" not in get_page(nim, "/games/k", ann).text.partition('id="found"')[0]
    assert 'id="orders-list"' in get_page(nim, "/games/k", ann).text
    back = {"as": "ben", "line": "", "head": "", "key": "k" * 20}
    [order] = nim.service.orders("k", "ben", Viewer("ben")).orders
    assert send_form(nim, "/games/k/orders/x", back, ben).status_code == 404
    assert send_form(nim, f"/games/k/orders/{2**63}", back, ben).status_code == 400
    assert send_form(nim, f"/games/k/orders/{order.number}", back, ben).status_code == 303
    assert nim.service.orders("k", "ben", Viewer("ben")).orders == ()
    assert send_form(nim, "/games/k/orders", {**form, "key": "o" * 20, "text": "frob"}, ben).status_code >= 400
    assert send_form(nim, "/games/k/orders", {**form, "key": "p" * 20}, ben).status_code == 303
    nim.play("take 1")
    assert nim.service.head("k").commit.text == "take 3", "as soon as it is their turn"


def test_a_host_sets_the_clock_and_all_see_the_deadline_of_each_seat(nim: GameServer, ann: str) -> None:
    page = get_page(nim, "/games/k?as=host", nim.host.token)
    form = asked_of(page, "/games/k/terms", pace="3d", bank="7d", delay="")
    assert send_form(nim, "/games/k/terms", form, nim.host.token).status_code == 303
    page = get_page(nim, "/games/k", ann)
    assert re.search(r"<b>ann</b>\s*ann-player · has until <time datetime=", page.text)
    assert "a turn is to take 3d, and each has once 1w" in page.text
    assert send_form(nim, "/games/k/terms", {**form, "as": "ann", "key": "k" * 20}, ann).status_code == 403
    assert (
        send_form(nim, "/games/k/terms", {**form, "key": "l" * 20, "pace": "soon"}, nim.host.token).status_code >= 400
    )


def test_others_vote_on_a_seat_that_is_out_of_time(nim: GameServer, ann: str, ben: str) -> None:
    form = asked_of(get_page(nim, "/games/k?as=host", nim.host.token), "/games/k/terms", pace="1s", bank="", delay="")
    assert send_form(nim, "/games/k/terms", form, nim.host.token).status_code == 303
    nim.play("take 1")  # its clock goes on with each look
    act = {"Zim-Part": "act"}
    assert "is out of time" in get_page(nim, "/games/k", ann, **act).text
    mine = get_page(nim, "/games/k", ben, **act).text
    assert "is out of time" in mine
    assert "/games/k/votes" not in mine, "it is their own"
    vote = asked_of(get_page(nim, "/games/k", ann), "/games/k/votes") | {"what": "end"}
    assert vote["seat"] == "ben"
    assert send_form(nim, "/games/k/votes", {**vote, "key": "k" * 20, "what": "frob"}, ann).status_code == 400
    assert send_form(nim, "/games/k/votes", vote, ann).status_code == 303
    assert "The players have ended it here" in get_page(nim, "/games/k", ben).text


def test_a_table_is_dealt_when_all_have_opened_their_links(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        host = server.host.token
        form = asked_of(get_page(server, "/", host), "/games", name="fair") | {"kind": "nim", "fair": "on"}
        assert send_form(server, "/games", form, host).headers["location"] == "/games/fair?as=host"
        tokens = []
        for seat in ("ann", "ben"):
            page = get_page(server, "/games/fair?as=host", host)
            assert "not dealt yet" in page.text
            give = {"seat": seat, "key": seat * 10}
            link = re.findall(r"zim_link_\w+[-\w]*", send_form(server, "/games/fair/links", give, host).text)[0]
            body = {"key": seat * 8, "link": link, "by": seat}
            answer = server.http.post(
                "/join", data=body, headers={**OWN, "Cookie": f"{TRIAL}=yes"}, follow_redirects=False
            )
            tokens.append(re.findall(r"zim_seat_[-\w]+", answer.headers["set-cookie"])[0])
            assert get_page(server, "/", *tokens).status_code == 200
        assert re.search("Your turn|take", get_page(server, "/games/fair", tokens[0]).text)
        assert "not dealt" not in get_page(server, "/games/fair", tokens[1]).text


def test_a_game_is_begun_with_programs_terms_and_all_that_is_agreed(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        host = server.host.token
        form = asked_of(get_page(server, "/", host), "/games", name="kilwa-1", bots="zulu:quick", pace="3d")
        form |= {"kind": "zimbabwe", "opt.players": "kilwa,zulu", "takebacks": "never", "nohelp": "on"}
        for fault in ({"bots": "zulu"}, {"bots": "zulu:frob"}, {"pace": "soon"}, {"takebacks": "maybe"}):
            assert send_form(server, "/games", {**form, "key": "k" * 20, **fault}, host).status_code in (
                400,
                409,
                422,
            ), fault
        assert send_form(server, "/games", form, host).headers["location"] == "/games/kilwa-1?as=host"
        page = get_page(server, "/games/kilwa-1?as=host", host).text
        assert re.search(r"<b>zulu</b>\s*quick \(a program\)", page)
        assert "a turn is to take 3d" in page
        server.service.prefetch("kilwa-1")
        discussion = server.service.discussion("kilwa-1")
        assert (discussion.takebacks, discussion.helps) == ("never", False)


def test_a_figure_leads_to_why_it_is_so(tmp_path: Path) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True, sit=False) as server:
        for move in moves[:40]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        page = get_page(server, "/games/k")
        figures = set(re.findall(r'href="\?why=([\w.]+)"', page.text))
        assert {"zulu.vp", "kilwa.vr", "lozi.cattle"} <= figures
        study = {"Zim-Part": "study"}
        why = get_page(server, "/games/k?why=kilwa.vp&at=r3", **study).text
        assert re.search(r"<b>kilwa.vp</b> is <b>\d+</b> after move \d+", why)
        assert re.search(r'data-step="\d+".*scores.*<b>\+\d', why)
        assert 'class="problem"' in get_page(server, "/games/k?why=frob.nicate", **study).text
        assert 'class="problem"' in get_page(server, "/games/k?ask=frob", **study).text
        assert "<caption>gods</caption>" in get_page(server, "/games/k?ask=cards", **study).text


def test_two_positions_stand_side_by_side(tmp_path: Path) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    with game_server(tmp_path, "zimbabwe", options, public=True, sit=False) as server:
        for move in moves[:40]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        sides = get_page(server, "/games/k/compare?a=main@10&b=@40").text
        assert "They parted after move 10: 0 and 30 moves" in sides
        assert sides.count('<svg viewBox="-40 -40') == 2
        assert 'class="differs"' in sides
        assert get_page(server, "/games/k/compare?a=nowhere&b=@4").status_code == 404
        assert get_page(server, "/games/k/chances").status_code == 409, "nobody is helped while it goes on"


def test_what_an_analysis_has_found_stands_beside_a_game_that_is_over(tmp_path: Path) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    settings = replace(GENEROUS, analyses=tmp_path / "analyses")
    with game_server(tmp_path, "zimbabwe", options, public=True, sit=False, settings=settings) as server:
        for move in moves:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        assert get_page(server, "/games/k/chances").json()["better"] == []
        position, commits = server.service.position("k"), server.service.log("k")
        turns = [each for each, _, _ in decisions(position.game, commits)]
        bid, other = [each for each in turns if commits[each.first].text == "bid 2"][:2]
        cache = JudgementCache(file_in(tmp_path / "analyses", commits[0].digest), engine(position.game), 60, 0)
        no = {seat: Chance(0.25, 0.01) for seat in position.seats}
        bad = JudgedTurn(
            before=no, chances=no, chance=0.3, best=("pass",), best_chance=0.5, given=0.2, error=0.0, nodes=60
        )
        for turn, judged in ((bid, bad), (other, replace(bad, given=0.0))):
            cache.keep(turn.digest, judged)
        [better] = get_page(server, "/games/k/chances").json()["better"]
        assert (better["first"], better["last"], better["mark"]) == (bid.first, bid.last, "??")
        assert better["said"].startswith("blunder, 20 points: better was pass")
        assert better["line"] == ""
        name = f"better-{bid.first}"
        server.service.fork(f"k@{bid.first - 1}", name, by="anna", viewer=Viewer(None))
        server.service.play_or_raise(f"k/{name}", "bid 3", by="anna", seat=bid.seat)
        [better] = get_page(server, "/games/k/chances").json()["better"]
        assert better["line"] == "", "it is called so, and something else was played there"
        server.service.fork(f"k@{bid.first - 1}", f"{name}-2", by="anna", viewer=Viewer(None))
        server.service.play_or_raise(f"k/{name}-2", "pass", by="anna", seat=bid.seat)
        [better] = get_page(server, "/games/k/chances").json()["better"]
        assert better["line"] == f"{name}-2"
        assert "better" in get_page(server, f"/games/k/chances?line={name}-2").json(), "a line of a match that is over"
        built = next(each for each in turns if commits[each.first].text.startswith("build"))
        before = server.service.position(f"k@{built.first - 1}")
        best = next(text for text in before.legal().texts("build") if text != commits[built.first].text)
        cache.keep(built.digest, replace(bad, best=(best, "end")))
        ghosts = {each["first"]: each["ghost"] for each in get_page(server, "/games/k/chances").json()["better"]}
        assert any("+1 VP" in each for each in ghosts[built.first]), "the better turn can be drawn on the board"
        assert not any("<path" in each for each in ghosts[bid.first]), "a pass adds nothing"


def test_a_what_if_is_one_s_own_and_leads_back(nim: GameServer, ann: str, ben: str) -> None:
    nim.play("take 1", "take 2")
    form = asked_of(get_page(nim, "/games/k?at=1", ann), "/games/k/lines", name="what-if")
    assert form["at"] == "1"
    answer = send_form(nim, "/games/k/lines", form, ann)
    assert (answer.status_code, answer.headers["location"]) == (303, "/games/k?as=ann&line=ann--what-if")
    page = get_page(nim, answer.headers["location"], ann)
    assert "only you see it" in page.text
    assert 'href="/games/k?as=ann">Back to the match' in page.text
    move = asked_of(get_page(nim, "/games/k?as=ann&line=ann--what-if&say=take+3", ann), "/games/k/moves")
    assert send_form(nim, "/games/k/moves", move, ann).status_code == 303
    assert nim.service.head("k/ann--what-if").commit.text == "take 3"
    assert nim.service.head("k").commit.number == 2, "the match is as it was"
    assert "ann--what-if" not in get_page(nim, "/games/k", ben).text
    assert get_page(nim, "/games/k?as=ben&line=ann--what-if", ben).status_code == 404
    assert "They parted after move 1" in get_page(nim, "/games/k/compare?as=ann&a=main&b=ann--what-if", ann).text
    share = asked_of(get_page(nim, "/games/k?as=ann&line=ann--what-if", ann), "/games/k/share", name="better")
    assert send_form(nim, "/games/k/share", share, ann).headers["location"] == "/games/k?as=ann&line=better"
    assert 'aria-label="better, 2 moves, from main at 1' in get_page(nim, "/games/k", ben).text
    again = send_form(nim, "/games/k/lines", {**form, "key": "k" * 20, "name": "other"}, ann)
    forget = asked_of(get_page(nim, again.headers["location"], ann), "/games/k/forget")
    assert send_form(nim, "/games/k/forget", forget, ann).headers["location"] == "/games/k?as=ann"
    assert "ann--other" not in nim.service.line_names("k")


def test_when_a_game_is_over_programs_play_the_others_on_a_line_of_ones_own(nim: GameServer, ann: str) -> None:
    nim.play("take 3", "take 1")
    form = asked_of(get_page(nim, "/games/k?at=1", ann), "/games/k/lines", name="early", bot="random")
    early = send_form(nim, "/games/k/lines", form, ann)
    assert early.status_code == 409
    assert "when the match is over" in early.text
    nim.play("take 3", "take 3")
    assert '<select name="bot">' in get_page(nim, "/games/k", ann).text
    form = asked_of(get_page(nim, "/games/k?at=1", ann), "/games/k/lines", name="try", bot="random")
    for _ in range(2):  # sent twice it is done once
        answer = send_form(nim, "/games/k/lines", form, ann)
        assert (answer.status_code, answer.headers["location"]) == (303, "/games/k?as=ann&line=ann--try")
    nim.service.names("k")
    assert nim.service.bots("k/ann--try") == {"ben": "random"}
    assert nim.service.bots("k") == {}, "the match is as it was"
    wait_for(lambda: nim.service.head("k/ann--try").commit.number > 1)
    page = get_page(nim, "/games/k?as=ann&line=ann--try", ann).text
    assert "a program plays" in page
    assert "Your turn" in page


HOSTILE = ['<script>alert(1)</script>"', "'\"><img src=x onerror=alert(1)>", "\u202eevil</title>", "{{ 7*7 }}"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_a_name_in_every_page(tmp_path: Path, name: str) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}, public=True, sit=False) as server:
        token, offer = new_token("seat", stream := server.service.stream_of("k")), new_token("link", stream)
        sits: list[NameEvent] = [
            SeatOffered("ann", id_of(offer), digest(offer)),
            SeatTaken("ann", id_of(offer), name, id_of(token), digest(token)),  # by hand: a name as none is let in
        ]
        server.service.enrol("k", lambda _: sits, by="hanna")
        question = quote(name)
        for path in (
            "/games/k",
            f"/games/k?say={question}",
            f"/games/k?as={question}",
            f"/games/k?at={question}",
            f"/{question}",
        ):
            answer = get_page(server, path, token)
            assert answer.status_code < 500
            assert not re.search(r"<script>|<img|\u202e|\b49\b|</title>.*</title>", answer.text, re.DOTALL)
        assert html.escape(printable(name)) in get_page(server, "/games/k", token).text.replace(
            "&#34;", "&quot;"
        ).replace("&#39;", "&#x27;")


def everything(server: GameServer, role: str) -> list[tuple[str, int, str]]:
    """Everything that a visitor's browser can receive."""
    token = {**server.seats, "host": server.host, "spectator": server.token("spectator")}[role].token
    server.http.app.state.dispatcher.feeds.closing = True
    says = ("", "move", "move+", "draw", "buy+", "join", "end", "france: draw", "move+lagos+violet", "turn+north+left")
    paths = [f"/games/k?say={say}" for say in says] + [f"/games/k?at={at}" for at in (0, 2, 5, "r1", 99)]
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
    asks = (
        "why=france.cards",
        "why=france.hand",
        "why=italy.hand",
        "why=cairo",
        "ask=plan",
        "ask=plan+france",
        "ask=hint",
    )
    paths += [f"/games/k?{each}" for each in (*asks, "back=1", "back=3&instead=draw")]
    paths += ["/games/k/compare?a=main@2&b=main", "/games/k/chances"]
    responses = []
    for path in paths:
        parts = ("around", "study") if "=" in path and "say=" not in path else ("act",)
        for part in ({}, *({"Zim-Part": name} for name in parts)):
            answer = get_page(server, path, token, **part)
            responses.append((path, answer.status_code, without_keys(answer.text)))
    for last in ("0.0", "3.1", ""):
        answer = server.http.get("/games/k/feed", headers={**cookie(token), "Last-Event-ID": last})
        responses.append((f"feed {last}", answer.status_code, without_keys(answer.text)))
    for move in ("draw", "end", "buy south left", "move lagos violet", "frob"):
        form = {"as": role, "line": "", "head": server.head(), "key": "k" * 20 + move.replace(" ", ""), "move": move}
        answer = send_form(server, "/games/k/moves", form, token)
        responses.append((f"POST {move}", answer.status_code, without_keys(answer.text)))
    return responses


def without_keys(text: str) -> str:
    """Without digests and the keys of forms."""
    return re.sub(r'name="key" value="[^"]*"', "KEY", hexless(text))


@pytest.mark.parametrize("role", ["italy", "host", "spectator"])
def test_other_hidden_cards_change_no_byte_of_any_page(tmp_path: Path, role: str) -> None:
    with match_with_deal(tmp_path / "one", DEAL) as server:
        one = everything(server, role)
    with match_with_deal(tmp_path / "other", deal_otherwise) as server:
        other = everything(server, role)
    for a, b in zip(one, other, strict=True):
        assert a == b
    assert 200 in {status for _, status, _ in one}
    assert not {500, 501, 503} & {status for _, status, _ in one}


def test_they_do_differ_for_a_viewer_who_sees_more(tmp_path: Path) -> None:
    """Otherwise the test above would show nothing."""
    pages = []
    for name, deal in (("one", DEAL), ("other", deal_otherwise)):
        with match_with_deal(tmp_path / name, deal) as server:
            token = server.seats["france"].token
            pages.append([without_keys(get_page(server, path, token).text) for path in ("/games/k", "/games/k/steps")])
    assert all(one != other for one, other in zip(*pages, strict=True))


def test_a_link_on_another_site_leads_to_the_game_all_the_same(nim: GameServer, ann: str) -> None:
    """A browser sends no strict cookie with the first request: the page that it gets asks once more."""
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    page = get_page(nim, "/games/k?as=ann", **elsewhere)
    [url] = re.findall(r'content="0; url=([^"]*)"', page.text)
    assert html.unescape(url) == "/games/k?as=ann&here=1"
    assert get_page(nim, html.unescape(url), ann, **elsewhere).text.count("Your turn") == 1
