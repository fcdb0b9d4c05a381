"""Beginning a game from the lobby: rows of seats, errors next to their fields, links to copy, a seat for the host."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest

import zimcore.games.africana
from tests.picture.conftest import demo_line
from tests.server.game_server import GameServer, game_server
from tests.server.test_pages import get_page, send_form
from zimcore.games import africana, zimbabwe
from zimcore.server import accounts
from zimcore.service import Viewer
from zimcore.service.discussion import terms_events
from zimcore.service.memberships import GameHosted, MemberEvent, TermsSet
from zimcore.service.terms import change_terms

LINK = r'value="(https://testserver\.local/join#zim_link_[\w-]+)"'


@pytest.fixture
def server_with_account(tmp_path: Path) -> Iterator[GameServer]:
    """A server with an account."""
    with game_server(tmp_path, "nim", {"seed": "7"}, sit=False) as server:
        yield server


def form_for(page: httpx.Response, kind: str) -> tuple[str, dict[str, str]]:
    """The form that begins a game of a kind, and what it says if nothing is changed."""
    forms = re.findall(r'<form class="begin" action="/games".*?</form>', page.text, re.DOTALL)
    form = next(each for each in forms if f'name="kind" value="{kind}"' in each)
    fields = dict(re.findall(r'<input (?:type="hidden" )?name="([\w.]+)" value="([^"]*)"', form))
    for name, options in re.findall(r'<select name="([\w.]+)">(.*?)</select>', form, re.DOTALL):
        chosen = re.findall(r'<option value="([^"]*)" selected>', options)
        fields[name] = chosen[0] if chosen else re.findall(r'<option value="([^"]*)"', options)[0]
    return form, {name: html.unescape(value) for name, value in fields.items()}


def test_the_host_sits_down_a_program_plays_and_the_other_links_can_be_copied(server_with_account: GameServer) -> None:
    host = server_with_account.host.token
    _, form = form_for(get_page(server_with_account, "/", host), "zimbabwe")
    form |= {"seat.kilwa": "me", "seat.mutapa": "", "seat.zulu": "link", "seat.lozi": "quick", "name": "z"}
    for _ in range(2):  # sent twice it is done once
        page = send_form(server_with_account, "/games", form, host)
        links = re.findall(LINK, page.text)
        assert (page.status_code, len(links)) == (200, 1)
    assert f'data-copy="{links[0]}"' in page.text
    assert server_with_account.service.position("z").seats == ("kilwa", "zulu", "lozi")
    server_with_account.service.prefetch("z")
    assert server_with_account.service.bots("z") == {"lozi": "quick"}
    [seat_token] = re.findall(r"zim_seat_[\w-]+", page.headers["set-cookie"])
    mine = get_page(server_with_account, "/games/z?as=kilwa", host, seat_token)
    assert 'data-seat="kilwa"' in mine.text
    sitting = server_with_account.service.members("z").at("kilwa")
    assert sitting is not None
    assert sitting.name == "hanna"


def test_a_link_to_a_seat_of_a_program_says_so(server_with_account: GameServer) -> None:
    _, form = form_for(get_page(server_with_account, "/", server_with_account.host.token), "zimbabwe")
    form |= {"seat.kilwa": "me", "seat.mutapa": "", "seat.zulu": "link", "seat.lozi": "quick", "name": "z"}
    [link] = re.findall(LINK, send_form(server_with_account, "/games", form, server_with_account.host.token).text)
    about = send_form(server_with_account, "/join/about", {"key": "k" * 20, "link": link.partition("#")[2]}).text
    assert re.findall(r"<li>.*?<b>(.*?)</b>", about) == ["hanna", "You", "quick"]
    assert "quick</b> (a program)" in about
    assert '<svg class="seen"' in about, "the board as it is now"


def test_a_lobby_whose_only_public_games_are_ones_own_does_not_say_that_nothing_is_public(
    server_with_account: GameServer,
) -> None:
    assert "Nothing is public now." in get_page(server_with_account, "/").text
    host = server_with_account.host.token
    _, form = form_for(get_page(server_with_account, "/", host), "nim")
    send_form(server_with_account, "/games", {**form, "seat.ben": "random", "name": "n", "public": "on"}, host)
    lobby = get_page(server_with_account, "/", host).text
    assert 'href="/games/n' in lobby
    assert "No other games are public now." in lobby
    assert "Nothing is public" not in lobby


def test_without_links_the_host_goes_straight_to_the_game(server_with_account: GameServer) -> None:
    _, form = form_for(get_page(server_with_account, "/", server_with_account.host.token), "nim")
    assert (form["seat.ann"], form["seat.ben"], form["seat.cid"]) == ("me", "link", "")
    answer = send_form(
        server_with_account,
        "/games",
        {**form, "seat.ben": "", "seat.cid": "random", "name": "n"},
        server_with_account.host.token,
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/games/n?as=ann")
    assert server_with_account.service.position("n").seats == ("ann", "ben")
    server_with_account.service.prefetch("n")
    assert server_with_account.service.bots("n") == {"ben": "random"}, (
        "a game that can't be played by just those has its first seats"
    )


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("opt.gods", "frob", "there is no frob"),
        ("opt.max_rounds", "x", "max_rounds is a number"),
        ("seat.zulu", "", "players is a number from 2 to 5"),
        ("name", "k", "k"),
    ],
)
def test_a_mistake_is_shown_in_the_form_which_keeps_its_values(
    server_with_account: GameServer, field: str, value: str, message: str
) -> None:
    host = server_with_account.host.token
    _, form = form_for(get_page(server_with_account, "/", host), "zimbabwe")
    form |= {"seat.mutapa": "", "seat.zulu": "strong", "opt.vr": "eshu:5", "public": "on", field: value}
    page = send_form(server_with_account, "/games", form, host)
    assert page.status_code in (409, 422)
    values, again = form_for(page, "zimbabwe")
    for name in {*form} - {"key"}:
        if name != "public":
            assert again[name] == form[name], name
    assert 'name="public" checked' in values
    assert message in page.text
    if field.startswith("opt."):
        assert re.search(rf'role="alert">[^<]*{re.escape(message)}[^<]*</span><input name="{re.escape(field)}"', values)
    good = {"name": "good", "opt.gods": "", "opt.max_rounds": "", "seat.zulu": "strong"}
    assert send_form(server_with_account, "/games", {**again, **good}, host).status_code == 303


def test_house_rules_that_all_agree_to_let_the_host_sit_down_too(server_with_account: GameServer) -> None:
    host = server_with_account.host.token
    form_text, form = form_for(get_page(server_with_account, "/", host), "zimbabwe")
    assert re.search(r'<option value="absolute">[^<]*Xango wins', form_text), "options are told in words"
    form |= {"opt.xango": "absolute", "sheet": "on", "name": "h", "seat.mutapa": "", "seat.zulu": "link"}
    page = send_form(server_with_account, "/games", form, host)
    assert page.status_code == 200
    assert server_with_account.service.members("h").agreed["kilwa"] == "xango=absolute"


def test_a_host_sits_down_at_a_free_seat_of_a_game_that_goes_on(server_with_account: GameServer) -> None:
    host = server_with_account.host.token
    page = get_page(server_with_account, "/games/k?as=host", host).text
    key = re.findall(
        r'action="/games/k/sit" method="post"><input type="hidden" name="seat" value="ben">.*?value="([^"]*)"', page
    )[0]
    answer = send_form(server_with_account, "/games/k/sit", {"seat": "ben", "key": key}, host)
    assert (answer.status_code, answer.headers["location"]) == (303, "/games/k?as=ben")
    assert "zim_seat_" in answer.headers["set-cookie"]
    assert send_form(server_with_account, "/games/k/sit", {"seat": "ann", "key": "k" * 20}).status_code == 401, (
        "nobody else does"
    )


def test_the_lobby_shows_boards_players_and_times(tmp_path: Path) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}) as server:
        token = server.seats["kilwa"].token
        page = get_page(server, "/", token).text
        assert re.findall(r"</svg>([\w-]+-player)</span>", page) == ["kilwa-player", "mutapa-player"]
        assert re.search(r"last move <time datetime=", page)
        [address] = re.findall(r'<img src="([^"]+)"', page)
        picture = get_page(server, html.unescape(address), token)
        assert picture.headers["content-type"].startswith("image/svg+xml")
        assert "<path" in picture.text
        assert get_page(server, html.unescape(address)).status_code == 401


def test_the_lobby_shows_the_boards_of_games_that_one_hosts_or_may_watch(server_with_account: GameServer) -> None:
    hosted = [GameHosted("hanna", public=True)]
    server_with_account.service.new("zimbabwe", {"players": "2", "seed": "3"}, name="open", by="hanna", served=hosted)
    server_with_account.service.new("nim", {}, name="heap", by="hanna", served=hosted)
    digest = server_with_account.service.head("open").commit.digest
    for tokens, as_ in (((server_with_account.host.token,), "as=host&"), ((), "")):
        page = html.unescape(get_page(server_with_account, "/", *tokens).text)
        address = f"/games/open/board.svg?{as_}at={digest}"
        assert f'src="{address}"' in page
        assert page.count("<img") == 1, "nim has no board"
        assert "round 1 · " in page
        assert "Kilwa, free" in page
        assert get_page(server_with_account, address, *tokens).headers["cache-control"].endswith("immutable")


def test_an_open_lobby_reads_its_games_only_when_they_have_changed(
    server_with_account: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, host = server_with_account.service, server_with_account.host.token
    seen = [GameHosted("hanna", public=True)]
    service.new("zimbabwe", {"players": "2", "seed": "3"}, name="open", by="hanna", served=seen)
    first = get_page(server_with_account, "/", host, **{"Zim-Part": "games"})
    assert 'id="games"' in first.text
    assert 'id="watched"' in first.text
    assert "<form" not in first.text
    tag = {"Zim-Part": "games", "If-None-Match": first.headers["etag"]}
    monkeypatch.setattr(zimbabwe.GAME.display, "board", None)
    assert get_page(server_with_account, "/", host, **tag).status_code == 304, "and no board was drawn for it"
    monkeypatch.undo()
    service.play("open", next(iter(service.position("open").legal().texts())), by="ann", viewer=Viewer(None))
    assert get_page(server_with_account, "/", host, **tag).status_code == 200


def test_a_late_spectator_sees_the_lobby_late_too(server_with_account: GameServer) -> None:
    late: list[MemberEvent] = [GameHosted("hanna", public=True), change_terms(TermsSet(), {"delay": "2"})]
    options, moves = demo_line(zimbabwe.GAME)
    server_with_account.service.new("zimbabwe", options, name="late", by="hanna", served=late)
    for move in moves[:5]:
        server_with_account.service.play("late", move, by="anna", viewer=Viewer(None))
    page = get_page(server_with_account, "/").text
    assert server_with_account.service.position("late@3").commit.digest in page
    assert server_with_account.service.position("late@5").commit.digest not in page


def again_in(page: str) -> tuple[str, dict[str, str]]:
    """The form that begins a game again: its text and its fields."""
    [form] = re.findall(r'<form class="again" action="/games".*?</form>', page, re.DOTALL)
    return form, {name: html.unescape(text) for name, text in re.findall(r'name="([\w.]+)" value="([^"]*)"', form)}


def finish_match(server: GameServer, bots: dict[str, str]) -> Mapping[str, str]:
    """A public game n that is over, begun by hanna with terms of its own; the options with which it was."""
    options, moves = demo_line(zimbabwe.GAME)
    served: list[MemberEvent] = [GameHosted("hanna", public=True), change_terms(TermsSet(), {"pace": "1h"})]
    terms = terms_events("never", helps=False)
    server.service.new("zimbabwe", options, name="n", by="hanna", served=served, bots=bots, agreed=terms)
    for move in moves:
        server.service.play("n", move, by="anna", viewer=Viewer(None))
    return options


def test_a_game_that_is_over_begins_again_with_one_button(server_with_account: GameServer) -> None:
    options = finish_match(server_with_account, {"lozi": "quick"})
    host = server_with_account.host.token
    link = server_with_account.host("POST", "/v1/games/n/tokens", {"role": "seat", "seat": "zulu"}).json()["token"]
    seat = server_with_account.nobody(
        "POST", "/v1/tokens", {"link": link, "by": "hanna"}, key="sitting-down-at-zulu"
    ).json()["token"]
    _, fields = again_in(get_page(server_with_account, "/games/n?as=zulu", host, seat).text)
    for _ in range(2):  # sent twice it is done once
        page = send_form(server_with_account, "/games", fields, host)
        assert (page.status_code, len(re.findall(LINK, page.text))) == (200, 2), "kilwa and mutapa get links"
    [name] = {*server_with_account.service.games_hosted_by("hanna")} - {"k", "n"}
    begun = dict(server_with_account.service.position(f"{name}@0").commit.command.options)
    assert begun.items() >= {key: text for key, text in options.items() if key not in ("players", "seed")}.items()
    assert server_with_account.service.position(name).seats == server_with_account.service.position("n").seats
    assert server_with_account.service.bots(name) == {"lozi": "quick"}
    members, terms = server_with_account.service.members(name), server_with_account.service.discussion(name)
    sitting = members.at("zulu")
    assert sitting is not None
    assert sitting.name == "hanna", "who played keeps their seat"
    assert (members.public, members.terms.pace, terms.takebacks, terms.helps) == (True, 3600, "never", False)


def test_a_game_that_forgot_its_options_begins_again_with_the_usual_ones(server_with_account: GameServer) -> None:
    host = server_with_account.host.token
    for move in (*["take 3"] * 3, "take 1"):
        server_with_account.service.play("k", move, by="anna", viewer=Viewer(None))
    form, fields = again_in(get_page(server_with_account, "/games/k?as=host", host).text)
    assert "The options are the usual ones" in form
    assert send_form(server_with_account, "/games", fields, host).status_code == 200
    [name] = {*server_with_account.service.games_hosted_by("hanna")} - {"k"}
    assert server_with_account.service.position(name).seats == ("ann", "ben")


def test_a_game_with_components_of_ones_own_begins_again_with_the_usual_ones(
    server_with_account: GameServer, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_bytes(Path(zimcore.games.africana.__file__).with_name("components.toml").read_bytes())
    options, moves = demo_line(africana.GAME)
    served: list[MemberEvent] = [GameHosted("hanna", public=True)]
    server_with_account.service.new(
        "africana", {**options, "components": str(own)}, name="n", by="hanna", served=served
    )
    for move in moves:
        server_with_account.service.play("n", move, by="anna", viewer=Viewer(None))
    form, fields = again_in(get_page(server_with_account, "/games/n", server_with_account.host.token).text)
    assert "usual components" in form
    assert str(own) not in form
    assert send_form(server_with_account, "/games", fields, server_with_account.host.token).status_code == 200


def test_no_one_else_is_offered_to_begin_a_game_again(server_with_account: GameServer) -> None:
    finish_match(server_with_account, {})
    host = server_with_account.host.token
    assert "Again</button>" in get_page(server_with_account, "/games/n", host).text
    assert "Again</button>" not in get_page(server_with_account, "/games/n").text, "a spectator has no account"
    reader = accounts.give(server_with_account.service, "rita", only_read=True).token
    assert "Again</button>" not in get_page(server_with_account, "/games/n", reader).text
    assert "Again</button>" not in get_page(server_with_account, "/games/k", host).text, "it is not over"
