"""Pages in a real browser: a game by two browsers from their links, all data they receive, lost connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.picture.conftest import demo_options_and_moves
from tests.server.browser import Browser, browsers, offer_seats
from tests.server.server_process import Process, running_server
from zimcore.documents.leagues import LeagueChange, NewLeague
from zimcore.games import africana, zimbabwe
from zimcore.server.people import accounts
from zimcore.service import GameService, Viewer, open_service


class Site:
    """A server with a few games, and the links to their seats."""

    def __init__(
        self, server: Process, service: GameService, links: dict[str, dict[str, str]], host_token: str
    ) -> None:
        self.server = server
        self.service = service
        self.links = links
        self.host_token = host_token


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    service = open_service(f"sqlite:///{folder}/games.db")
    links = {}
    for game, game_name, move_count in ((zimbabwe.GAME, "zimba", 40), (africana.GAME, "afri", 60)):
        options, demo_moves = demo_options_and_moves(game)
        links[game_name] = offer_seats(service, game.name, options, game_name)
        for move in demo_moves[:move_count]:
            service.play(game_name, move, by="anna", viewer=Viewer(None))
    links["new"] = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "new")
    links["duel"] = offer_seats(service, "africana", {"players": "2", "seed": "7"}, "duel", public=False)
    host_token = accounts.create_token(service, "hanna").token
    begin_league(service)
    with service.store, running_server(folder) as server:
        yield Site(server, service, links, host_token)


def begin_league(service: GameService) -> None:
    """A public league, in its second round."""
    service.open_league(NewLeague("cup", "africana", seats="2..3", public=True), host="hanna", by="hanna")
    changes = [LeagueChange("enter", each) for each in ("Ann-Sophie-van-der-Meer", "Ben", "Cem", "Dia", "Eve", "hanna")]
    for change in (*changes, LeagueChange("pair", seed=1)):
        league = service.change_league("cup", change, by="hanna")
    for table in league.rounds[0].tables:
        ranks = {player: rank for rank, player in enumerate(table.seats.values(), 1)}
        service.change_league("cup", LeagueChange("correct", game=table.game, ranks=ranks, why="won"), by="hanna")
    service.change_league("cup", LeagueChange("pair", seed=1), by="hanna")


@pytest.fixture(scope="module")
def two_browsers(
    site: Site, find_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Browser]]:
    """Two browsers, each with a profile of its own."""
    with browsers(site.server, find_program, [tmp_path_factory.mktemp("profile") for _ in range(2)]) as opened_browsers:
        yield opened_browsers


def test_two_browsers_play_a_game_from_their_links(site: Site, two_browsers: list[Browser]) -> None:
    seats = dict(zip(site.links["new"], two_browsers, strict=True))
    for (seat, browser), name in zip(seats.items(), ("Ann", "Ben"), strict=True):
        browser.join(site.links["new"][seat], name)
        assert "zim_" not in browser.driver.current_url, "the secret has left the address bar"
        assert "zim_" not in browser.run("return document.cookie"), "and no script reads it"
        assert "zim_" not in str(browser.run("return performance.getEntries().map(each => each.name)"))
    first_browser, second_browser = two_browsers
    assert first_browser.text("#now h2") == "Your turn"
    assert second_browser.text("#now h2") != "Your turn"
    first_browser.type("start")
    first_browser.until(lambda: first_browser.find_all("#board .lights rect"))
    first_browser.click("#clear")
    first_browser.play("start a1")
    second_browser.until_text("#now h2", "Your turn")
    second_browser.until(lambda: second_browser.find_all("#board .new"), "what has changed is drawn")
    assert "on a1" in second_browser.text("#log a[aria-current]")
    second_browser.click("#back")
    assert "looking back" in second_browser.text("#status")
    second_browser.play(next(iter(site.service.position("new").legal().texts())))
    for browser in two_browsers:
        browser.until_number(2)
    # a refusal in words, with its rule
    playing_browser = next(each for each in two_browsers if each.text("#now h2") == "Your turn")
    watching_browser = next(each for each in two_browsers if each is not playing_browser)
    playing_browser.type("bid 99")
    playing_browser.until_text(".problem", "R-BID")
    playing_browser.click("#clear")
    # stepping back goes on while the other plays
    watching_browser.click("#first")
    playing_browser.play("bid 1")
    watching_browser.until(lambda: watching_browser.move_number == 3)
    assert watching_browser.text("#log a[aria-current] .number") == "0"
    watching_browser.click("#last")
    watching_browser.until_text("#log a[aria-current]", "gives 1")
    playing_browser.until(lambda: playing_browser.find_all(".undo button"))
    playing_browser.click(".undo button")
    for browser in two_browsers:
        browser.until_number(2)
    assert site.service.head("new").commit.number == 2
    for browser in two_browsers:
        assert browser.console_errors() == [] or all("422" in each for each in browser.console_errors())


def test_a_used_link_says_so_and_asks_for_another(site: Site, two_browsers: list[Browser]) -> None:
    first_browser, second_browser = two_browsers
    [seat, free_seat] = (links := offer_seats(site.service, "zimbabwe", {"players": "2"}, "spent"))
    first_browser.join(links[seat], "Ann")
    second_browser.open(f"/join#{links[free_seat]}")
    second_browser.until_text("#about", "You are invited")
    assert "It works once, when you press the button." in second_browser.text("#join")
    second_browser.open("/")
    second_browser.open(f"/join#{links[seat]}")
    second_browser.until_text("#about", "This link has been used or has ended")
    assert "It works once" not in second_browser.text("#join")
    assert second_browser.find("[name=link]").is_displayed(), "another one can be pasted"
    assert second_browser.find("[name=link]").get_attribute("value") == ""


def test_no_browser_ever_gets_the_cards_of_another(site: Site, two_browsers: list[Browser]) -> None:
    seats = dict(zip(site.links["duel"], two_browsers, strict=True))
    for seat, browser in seats.items():
        browser.join(site.links["duel"][seat], f"the player of {seat}")
    for _ in range(4):
        seat_to_move = site.service.head("duel").to_move[0]
        move_text = next(iter(site.service.position("duel", Viewer(seat_to_move)).legal().texts()))
        seats[seat_to_move].play(move_text)
    number = site.service.head("duel").commit.number
    for browser in two_browsers:
        browser.until_number(number)
    hands = {seat: hand_row(site.service, seat) for seat in seats}
    for seat, browser in seats.items():
        received_text = "\n".join(browser.new_texts())
        browser.open("/")
        browser.until(partial(browser.run, "return document.querySelector('#games img')?.complete"))
        received_text += "\n".join(browser.new_texts())
        assert all(each in received_text for each in hands[seat]), "a seat sees its own cards"
        for other_seat in seats:
            if other_seat != seat:
                assert not any(each in received_text for each in hands[other_seat])


def hand_row(service: GameService, seat: str) -> list[str]:
    """The row of a seat's own hand."""
    (hand,) = [table for table in service.position("duel", Viewer(seat)).tables if table.title == "Hands"]
    own_rows = {row[0]: row[1] for row in hand.rows}
    other_rows = {
        row[0]: row[1] for table in service.position("duel").tables if table.title == "Hands" for row in table.rows
    }
    assert own_rows[seat] != other_rows[seat]
    return [own_rows[seat]]


def test_a_page_follows_its_game_after_lost_connections(site: Site, two_browsers: list[Browser]) -> None:
    browser, service = two_browsers[0], site.service
    browser.open("/games/zimba")
    browser.wait_until_live()
    assert browser.text("#seatbar .watchers") == "1 watching", "oneself, at once"
    get_seat_bar = partial(site.server.http.get, "/games/zimba", headers={"Accept": "text/html", "Zim-Part": "around"})
    browser.until(lambda: "1 watching" in get_seat_bar().text, "and for others, by its feed")
    moves = demo_options_and_moves(zimbabwe.GAME)[1]
    browser.cdp("Network.enable")
    for _ in range(20):
        browser.cdp(
            "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        browser.until(lambda: browser.run("return !navigator.onLine"))
        number = service.head("zimba").commit.number
        service.play("zimba", moves[number], by="anna", viewer=Viewer(None))
        browser.cdp(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        browser.until_number(number + 1)
    texts = browser.run("return [...document.querySelectorAll('#log .text')].map(each => each.textContent)")
    for commit, text in zip(service.log("zimba")[1:], texts[1:], strict=True):
        assert commit.text in text


def test_pages_have_no_accessibility_violations(site: Site, two_browsers: list[Browser]) -> None:
    browser = two_browsers[1]
    browser.join(site.host_token)
    browser.resize(1280, 900)
    for path in ("/", "/join", "/games/zimba", "/games/afri?say=move", "/games/nothing", "/leagues", "/leagues/cup"):
        browser.open(path)
        if path.startswith("/games/") and "nothing" not in path:
            browser.wait_until_live()
        assert browser.accessibility_violations() == [], path


@pytest.mark.parametrize("width", [360, 1024, 2560])
def test_no_page_is_wider_than_the_window(site: Site, two_browsers: list[Browser], width: int) -> None:
    browser = two_browsers[1]
    browser.console_errors()
    for path in ("/", "/join", "/games/zimba", "/games/afri", "/leagues", "/leagues/cup"):
        browser.open(path)
        browser.resize(width)
        if path.startswith("/games/"):
            browser.wait_until_live()
        widths = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1] == width, path
        assert browser.console_errors() == []
    assert browser.cdp("Page.getInstallabilityErrors")["installabilityErrors"] == [], "it can be put on a home screen"


def test_a_game_can_be_read_without_scripts(site: Site, two_browsers: list[Browser]) -> None:
    browser = two_browsers[0]
    browser.cdp("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open("/games/zimba?at=12")
        source = str(browser.driver.page_source)
        assert "<ellipse" in source
        assert "Standings" in source
        assert site.service.position("zimba@12").status in source
        assert site.service.log("zimba")[-1].text in source
    finally:
        browser.cdp("Emulation.setScriptExecutionDisabled", value=False)


def test_a_player_goes_on_at_the_phone_and_the_laptop_keeps_the_seat(site: Site, two_browsers: list[Browser]) -> None:
    laptop, phone = two_browsers
    [seat, _] = (links := offer_seats(site.service, "zimbabwe", {"players": "2"}, "both"))
    laptop.join(links[seat], "Ann")
    laptop.click("#people summary")
    laptop.click(f"#seats form:has([name=own][value={seat}]) button")
    laptop.until(lambda: laptop.find_all(".qr"))
    assert laptop.accessibility_violations() == []
    link = str(laptop.find(".secret").get_attribute("value"))
    phone.open("/")
    phone.driver.get(link)
    phone.until_text("#about", "You are Ann")
    assert not phone.find("[name=by]").is_displayed(), "the seat has a name already"
    phone.find("#join button").click()
    phone.wait_until_live()
    phone.play(next(iter(site.service.head("both").legal().texts())))
    laptop.find("main a").click()
    laptop.wait_until_live()
    assert laptop.move_number == 1
    assert "Ann" in laptop.text("#log li:last-child")
    assert "watching" not in laptop.text("#seatbar")


def test_a_log_keeps_its_names_when_a_message_comes(site: Site, two_browsers: list[Browser]) -> None:
    """Also where a name is that of another seat: what has been named is not named again."""
    browser = two_browsers[0]
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    links = offer_seats(site.service, "zimbabwe", options, "odd")
    first_seat, *others = site.service.position("odd").seats
    for seat in others:
        site.service.seat_bot("odd", seat, "random", by="hanna")
    for move in moves[:40]:
        if site.service.head("odd").mover == first_seat and len(site.service.log("odd")) > 20:
            break  # else the programs would go on
        site.service.play("odd", move, by="anna", viewer=Viewer(None))
    browser.join(links[first_seat], others[0].title())
    log = browser.text("#log")
    assert f"{others[0].title()} ({first_seat.title()})" in log
    site.service.say("odd", "well", by="anna", viewer=Viewer(first_seat))
    browser.until(lambda: browser.run("return document.querySelectorAll('#talk-list li').length === 1"))
    assert browser.text("#log") == log
