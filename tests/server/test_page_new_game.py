"""Beginning a game from the lobby: rows of seats, errors next to their fields, links to copy, a seat for the host."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest

import zimcore.games.africana
from tests.picture.conftest import demo_options_and_moves
from tests.server.game_server import GameServer, game_server
from tests.server.test_pages import get_page, send_form
from zimcore.games import africana, zimbabwe
from zimcore.games.registry import game
from zimcore.server.pages.beginning import option_field
from zimcore.server.people import accounts
from zimcore.service import Viewer
from zimcore.service.records.discussion import terms_events
from zimcore.service.records.memberships import GameHosted, MemberEvent, TermsSet
from zimcore.service.records.terms import changed_terms

LINK_FIELD = r'value="(https://testserver\.local/join#zim_link_[\w-]+)"'


@pytest.fixture
def server_with_account(tmp_path: Path) -> Iterator[GameServer]:
    """A server with an account."""
    with game_server(tmp_path, "nim", {"seed": "7"}, take_seats=False) as server:
        yield server


def form_for(page: httpx.Response, kind: str) -> tuple[str, dict[str, str]]:
    """The form that begins a game of a kind, and its unchanged fields."""
    forms = re.findall(r'<form class="begin" action="/games".*?</form>', page.text, re.DOTALL)
    form = next(each for each in forms if f'name="kind" value="{kind}"' in each)
    fields = dict(re.findall(r'<input (?:type="hidden" )?name="([\w.]+)" value="([^"]*)"', form))
    for name, options in re.findall(r'<select name="([\w.]+)">(.*?)</select>', form, re.DOTALL):
        selected_values = re.findall(r'<option value="([^"]*)" selected>', options)
        fields[name] = selected_values[0] if selected_values else re.findall(r'<option value="([^"]*)"', options)[0]
    return form, {name: html.unescape(value) for name, value in fields.items()}


def test_a_new_game_seats_the_host_and_a_program_and_offers_links(server_with_account: GameServer) -> None:
    host_token = server_with_account.host.token
    _, form = form_for(get_page(server_with_account, "/", host_token), "zimbabwe")
    form |= {"seat.kilwa": "me", "seat.mutapa": "", "seat.zulu": "link", "seat.lozi": "quick", "name": "z"}
    for _ in range(2):  # sent twice it is done once
        page = send_form(server_with_account, "/games", form, host_token)
        links = re.findall(LINK_FIELD, page.text)
        assert (page.status_code, len(links)) == (200, 1)
    assert f'data-copy="{links[0]}"' in page.text
    assert server_with_account.service.position("z").seats == ("kilwa", "zulu", "lozi")
    server_with_account.service.prefetch("z")
    assert server_with_account.service.bots("z") == {"lozi": "quick"}
    [seat_token] = re.findall(r"zim_seat_[\w-]+", page.headers["set-cookie"])
    game_page = get_page(server_with_account, "/games/z?as=kilwa", host_token, seat_token)
    assert 'data-seat="kilwa"' in game_page.text
    player = server_with_account.service.members("z").token_at("kilwa")
    assert player is not None
    assert player.name == "hanna"


def test_a_link_to_a_seat_of_a_program_says_so(server_with_account: GameServer) -> None:
    _, form = form_for(get_page(server_with_account, "/", server_with_account.host.token), "zimbabwe")
    form |= {"seat.kilwa": "me", "seat.mutapa": "", "seat.zulu": "link", "seat.lozi": "quick", "name": "z"}
    [link] = re.findall(LINK_FIELD, send_form(server_with_account, "/games", form, server_with_account.host.token).text)
    link_text = send_form(server_with_account, "/join/about", {"key": "k" * 20, "link": link.partition("#")[2]}).text
    assert re.findall(r"<li>.*?<b>(.*?)</b>", link_text) == ["hanna", "You", "Quick"]
    assert "Quick</b> (a program)" in link_text
    assert '<svg class="seen"' in link_text, "the board as it is now"


def test_a_lobby_with_only_the_host_s_public_games_says_so(
    server_with_account: GameServer,
) -> None:
    assert "Nothing is public now." in get_page(server_with_account, "/").text
    host_token = server_with_account.host.token
    _, form = form_for(get_page(server_with_account, "/", host_token), "nim")
    send_form(server_with_account, "/games", {**form, "seat.ben": "random", "name": "n", "public": "on"}, host_token)
    lobby = get_page(server_with_account, "/", host_token).text
    assert 'href="/games/n' in lobby
    assert "No other games are public now." in lobby
    assert "Nothing is public" not in lobby


def test_without_links_the_host_is_led_to_the_game(server_with_account: GameServer) -> None:
    _, form = form_for(get_page(server_with_account, "/", server_with_account.host.token), "nim")
    assert (form["seat.ann"], form["seat.ben"], form["seat.cid"]) == ("me", "link", "")
    response = send_form(
        server_with_account,
        "/games",
        {**form, "seat.ben": "", "seat.cid": "random", "name": "n"},
        server_with_account.host.token,
    )
    assert (response.status_code, response.headers["location"]) == (303, "/games/n?as=ann")
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
    host_token = server_with_account.host.token
    _, fields = form_for(get_page(server_with_account, "/", host_token), "zimbabwe")
    fields |= {"seat.mutapa": "", "seat.zulu": "strong", "opt.vr": "eshu:5", "public": "on", field: value}
    page = send_form(server_with_account, "/games", fields, host_token)
    assert page.status_code in (409, 422)
    form_text, fields_after = form_for(page, "zimbabwe")
    for name in {*fields} - {"key"}:
        if name != "public":
            assert fields_after[name] == fields[name], name
    assert 'name="public" checked' in form_text
    assert message in page.text
    if field.startswith("opt."):
        assert re.search(
            rf'role="alert">[^<]*{re.escape(message)}[^<]*</span><input name="{re.escape(field)}"', form_text
        )
    corrected_fields = {"name": "good", "opt.gods": "", "opt.max_rounds": "", "seat.zulu": "strong"}
    assert send_form(server_with_account, "/games", {**fields_after, **corrected_fields}, host_token).status_code == 303


def test_an_option_that_is_too_long_is_named(server_with_account: GameServer) -> None:
    host_token = server_with_account.host.token
    _, fields = form_for(get_page(server_with_account, "/", host_token), "zimbabwe")
    page = send_form(server_with_account, "/games", {**fields, "opt.gods": "x" * 201}, host_token)
    assert page.status_code == 400
    assert "options.gods: Expected `str` of length &lt;= 200" in page.text


def test_a_host_agrees_to_the_house_rules_of_a_new_game(server_with_account: GameServer) -> None:
    host_token = server_with_account.host.token
    form_text, form = form_for(get_page(server_with_account, "/", host_token), "zimbabwe")
    assert re.search(r'<option value="absolute">[^<]*adorer among them wins', form_text), (
        "options are explained in words"
    )
    form |= {"opt.xango": "absolute", "sheet": "on", "name": "h", "seat.mutapa": "", "seat.zulu": "link"}
    page = send_form(server_with_account, "/games", form, host_token)
    assert page.status_code == 200
    assert server_with_account.service.members("h").agreed_rules["kilwa"] == "xango=absolute"


def test_a_host_takes_a_free_seat_of_a_running_game(server_with_account: GameServer) -> None:
    host_token = server_with_account.host.token
    page = get_page(server_with_account, "/games/k?as=host", host_token).text
    key = re.findall(
        r'action="/games/k/sit" method="post">\s*<input type="hidden" name="seat" value="ben">.*?value="([^"]*)"',
        page,
    )[0]
    response = send_form(server_with_account, "/games/k/sit", {"seat": "ben", "key": key}, host_token)
    assert (response.status_code, response.headers["location"]) == (303, "/games/k?as=ben")
    assert "zim_seat_" in response.headers["set-cookie"]
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
        picture_response = get_page(server, html.unescape(address), token)
        assert picture_response.headers["content-type"].startswith("image/svg+xml")
        assert "<path" in picture_response.text
        assert get_page(server, html.unescape(address)).status_code == 401


def test_the_lobby_shows_boards_of_hosted_and_public_games(server_with_account: GameServer) -> None:
    member_events = [GameHosted("hanna", public=True)]
    server_with_account.service.new(
        "zimbabwe", {"players": "2", "seed": "3"}, name="open", by="hanna", served=member_events
    )
    server_with_account.service.new("nim", {}, name="heap", by="hanna", served=member_events)
    digest = server_with_account.service.head("open").commit.digest
    for tokens, seat_parameter in (((server_with_account.host.token,), "as=host&"), ((), "")):
        page = html.unescape(get_page(server_with_account, "/", *tokens).text)
        address = f"/games/open/board.svg?{seat_parameter}at={digest}"
        assert f'src="{address}"' in page
        assert page.count("<img") == 1, "nim has no board"
        assert "round 1 · " in page
        assert "Kilwa, free" in page
        assert get_page(server_with_account, address, *tokens).headers["cache-control"].endswith("immutable")


def test_an_unchanged_lobby_draws_no_board_again(
    server_with_account: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, host_token = server_with_account.service, server_with_account.host.token
    member_events = [GameHosted("hanna", public=True)]
    service.new("zimbabwe", {"players": "2", "seed": "3"}, name="open", by="hanna", served=member_events)
    first_page = get_page(server_with_account, "/", host_token, **{"Zim-Part": "games"})
    assert 'id="games"' in first_page.text
    assert 'id="watched"' in first_page.text
    assert "<form" not in first_page.text
    conditional_headers = {"Zim-Part": "games", "If-None-Match": first_page.headers["etag"]}
    monkeypatch.setattr(zimbabwe.GAME.display, "board", None)
    assert get_page(server_with_account, "/", host_token, **conditional_headers).status_code == 304, (
        "and no board was drawn for it"
    )
    monkeypatch.undo()
    service.play("open", next(iter(service.position("open").legal().texts())), by="ann", viewer=Viewer(None))
    assert get_page(server_with_account, "/", host_token, **conditional_headers).status_code == 200


def test_the_lobby_has_the_delay_of_a_spectator(server_with_account: GameServer) -> None:
    member_events: list[MemberEvent] = [GameHosted("hanna", public=True), changed_terms(TermsSet(), {"delay": "2"})]
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    server_with_account.service.new("zimbabwe", options, name="late", by="hanna", served=member_events)
    for move in moves[:5]:
        server_with_account.service.play("late", move, by="anna", viewer=Viewer(None))
    page = get_page(server_with_account, "/").text
    assert server_with_account.service.position("late@3").commit.digest in page
    assert server_with_account.service.position("late@5").commit.digest not in page


def form_to_begin_again(page: str) -> tuple[str, dict[str, str]]:
    """The form that begins a game again: its text and its fields."""
    [form] = re.findall(r'<form class="again" action="/games".*?</form>', page, re.DOTALL)
    return form, {name: html.unescape(text) for name, text in re.findall(r'name="([\w.]+)" value="([^"]*)"', form)}


def finish_match(server: GameServer, bots: dict[str, str]) -> Mapping[str, str]:
    """Plays a public game n of hanna with terms of its own to the end; returns its options."""
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    member_events: list[MemberEvent] = [GameHosted("hanna", public=True), changed_terms(TermsSet(), {"pace": "1h"})]
    discussion_events = terms_events("never", helps=False)
    server.service.new(
        "zimbabwe", options, name="n", by="hanna", served=member_events, bots=bots, agreed=discussion_events
    )
    for move in moves:
        server.service.play("n", move, by="anna", viewer=Viewer(None))
    return options


def test_a_finished_game_begins_again_with_one_button(server_with_account: GameServer) -> None:
    options = finish_match(server_with_account, {"lozi": "quick"})
    host_token = server_with_account.host.token
    link = server_with_account.host("POST", "/v1/games/n/tokens", {"role": "seat", "seat": "zulu"}).json()["token"]
    seat_token = server_with_account.nobody(
        "POST", "/v1/tokens", {"link": link, "by": "hanna"}, key="sitting-down-at-zulu"
    ).json()["token"]
    _, fields = form_to_begin_again(get_page(server_with_account, "/games/n?as=zulu", host_token, seat_token).text)
    for _ in range(2):  # sent twice it is done once
        page = send_form(server_with_account, "/games", fields, host_token)
        assert (page.status_code, len(re.findall(LINK_FIELD, page.text))) == (200, 2), "kilwa and mutapa get links"
    [name] = {*server_with_account.service.games_hosted_by("hanna")} - {"k", "n"}
    new_options = dict(server_with_account.service.position(f"{name}@0").commit.command.options)
    assert new_options.items() >= {key: text for key, text in options.items() if key not in ("players", "seed")}.items()
    assert server_with_account.service.position(name).seats == server_with_account.service.position("n").seats
    assert server_with_account.service.bots(name) == {"lozi": "quick"}
    members, terms = server_with_account.service.members(name), server_with_account.service.discussion(name)
    player = members.token_at("zulu")
    assert player is not None
    assert player.name == "hanna", "who played keeps their seat"
    assert (members.public, members.terms.pace, terms.takebacks, terms.allows_help) == (True, 3600, "never", False)


def test_a_game_without_stored_options_begins_again_with_the_usual_ones(server_with_account: GameServer) -> None:
    host_token = server_with_account.host.token
    for move in (*["take 3"] * 3, "take 1"):
        server_with_account.service.play("k", move, by="anna", viewer=Viewer(None))
    form, fields = form_to_begin_again(get_page(server_with_account, "/games/k?as=host", host_token).text)
    assert "The options are the usual ones" in form
    assert send_form(server_with_account, "/games", fields, host_token).status_code == 200
    [name] = {*server_with_account.service.games_hosted_by("hanna")} - {"k"}
    assert server_with_account.service.position(name).seats == ("ann", "ben")


def test_a_game_with_own_components_begins_again_with_the_usual_ones(
    server_with_account: GameServer, tmp_path: Path
) -> None:
    own_file = tmp_path / "own.toml"
    own_file.write_bytes(Path(zimcore.games.africana.__file__).with_name("components.toml").read_bytes())
    options, moves = demo_options_and_moves(africana.GAME)
    member_events: list[MemberEvent] = [GameHosted("hanna", public=True)]
    server_with_account.service.new(
        "africana", {**options, "components": str(own_file)}, name="n", by="hanna", served=member_events
    )
    for move in moves:
        server_with_account.service.play("n", move, by="anna", viewer=Viewer(None))
    form, fields = form_to_begin_again(get_page(server_with_account, "/games/n", server_with_account.host.token).text)
    assert "usual components" in form
    assert str(own_file) not in form
    assert send_form(server_with_account, "/games", fields, server_with_account.host.token).status_code == 200


def test_only_the_host_is_offered_to_begin_a_game_again(server_with_account: GameServer) -> None:
    finish_match(server_with_account, {})
    host_token = server_with_account.host.token
    assert "Again</button>" in get_page(server_with_account, "/games/n", host_token).text
    assert "Again</button>" not in get_page(server_with_account, "/games/n").text, "a spectator has no account"
    reading_token = accounts.create_token(server_with_account.service, "rita", is_read_only=True).token
    assert "Again</button>" not in get_page(server_with_account, "/games/n", reading_token).text
    assert "Again</button>" not in get_page(server_with_account, "/games/k", host_token).text, "it is not over"


@pytest.mark.parametrize(("kind", "rule_count"), [("zimbabwe", 19), ("africana", 12)])
def test_each_house_rule_is_a_choice_of_two_readings(kind: str, rule_count: int) -> None:
    fields = [option_field(name, text) for name, text in game(kind).rules.OPTIONS.items()]
    assert [len(field.choices) for field in fields if field.choices] == [2] * rule_count
