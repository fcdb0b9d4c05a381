"""Pages in a real browser: a game by two of them, from the link on; all that they are sent; lost lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from axe_core_python.base import AXE_SCRIPT

from tests.picture.conftest import demo_line
from tests.server.browsing import Browser, browsers, offer_seats
from tests.server.process import Process, serving
from zimcore.documents.leagues import LeagueChange, NewLeague
from zimcore.games import africana, zimbabwe
from zimcore.server import accounts
from zimcore.service import GameService, Viewer, open_service


class Site:
    """A server with a few games, and the links to their seats."""

    def __init__(self, server: Process, service: GameService, links: dict[str, dict[str, str]], host: str) -> None:
        self.server = server
        self.service = service
        self.links = links
        self.host = host


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    service = open_service(f"sqlite:///{folder}/games.db")
    links = {}
    for game, name, moves in ((zimbabwe.GAME, "zimba", 40), (africana.GAME, "afri", 60)):
        options, played = demo_line(game)
        links[name] = offer_seats(service, game.name, options, name)
        for move in played[:moves]:
            service.play(name, move, by="anna", viewer=Viewer(None))
    links["new"] = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "new")
    links["duel"] = offer_seats(service, "africana", {"players": "2", "seed": "7"}, "duel", public=False)
    host = accounts.give(service, "hanna").token
    hold_league(service)
    with service.store, serving(folder) as server:
        yield Site(server, service, links, host)


def hold_league(service: GameService) -> None:
    """A public league, in its second round."""
    service.open_league(NewLeague("cup", "africana", seats="2..3", public=True), host="hanna", by="hanna")
    changes = [LeagueChange("enter", each) for each in ("Ann-Sophie-van-der-Meer", "Ben", "Cem", "Dia", "Eve", "hanna")]
    for change in (*changes, LeagueChange("pair", seed=1)):
        played = service.change_league("cup", change, by="hanna")
    for table in played.rounds[0].tables:
        ranks = {player: at for at, player in enumerate(table.seats.values(), 1)}
        service.change_league("cup", LeagueChange("correct", game=table.game, ranks=ranks, why="won"), by="hanna")
    service.change_league("cup", LeagueChange("pair", seed=1), by="hanna")


@pytest.fixture(scope="module")
def two_browsers(
    site: Site, program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Browser]]:
    """Two browsers, each with a profile of its own."""
    with browsers(site.server, program, [tmp_path_factory.mktemp("profile") for _ in range(2)]) as both:
        yield both


def test_two_browsers_play_from_their_links_on(site: Site, two_browsers: list[Browser]) -> None:
    seats = dict(zip(site.links["new"], two_browsers, strict=True))
    for (seat, at), name in zip(seats.items(), ("Ann", "Ben"), strict=True):
        at.join(site.links["new"][seat], name)
        assert "zim_" not in at.driver.current_url, "the secret has left the address bar"
        assert "zim_" not in at.run("return document.cookie"), "and no script reads it"
        assert "zim_" not in str(at.run("return performance.getEntries().map(each => each.name)"))
    first, second = two_browsers
    assert first.text("#now h2") == "Your turn"
    assert second.text("#now h2") != "Your turn"
    first.type("start")
    first.until(lambda: first.all("#board .lights rect"))
    first.click("#clear")
    first.play("start a1")
    second.until_text("#now h2", "Your turn")
    second.until(lambda: second.all("#board .new"), "what has changed is drawn")
    assert "on a1" in second.text("#log a[aria-current]")
    second.click("#back")
    assert "looking back" in second.text("#status")
    second.play(next(iter(site.service.position("new").legal().texts())))
    for at in two_browsers:
        at.until_number(2)
    # a refusal in words, with its rule
    mover = next(each for each in two_browsers if each.text("#now h2") == "Your turn")
    other = next(each for each in two_browsers if each is not mover)
    mover.type("bid 99")
    mover.until_text(".problem", "R-BID")
    mover.click("#clear")
    # stepping back goes on while the other plays
    other.click("#first")
    mover.play("bid 1")
    other.until(lambda: other.number == 3)
    assert other.text("#log a[aria-current] .number") == "0"
    other.click("#last")
    other.until_text("#log a[aria-current]", "gives 1")
    mover.until(lambda: mover.all(".undo button"))
    mover.click(".undo button")
    for at in two_browsers:
        at.until_number(2)
    assert site.service.head("new").commit.number == 2
    for at in two_browsers:
        assert at.complaints() == [] or all("422" in each for each in at.complaints())


def test_a_link_that_was_used_says_so_and_asks_for_another(site: Site, two_browsers: list[Browser]) -> None:
    first, second = two_browsers
    [seat, free] = (links := offer_seats(site.service, "zimbabwe", {"players": "2"}, "spent"))
    first.join(links[seat], "Ann")
    second.open(f"/join#{links[free]}")
    second.until_text("#about", "You are invited")
    assert "It is good for one person, once." in second.text("#join")
    second.open("/")
    second.open(f"/join#{links[seat]}")
    second.until_text("#about", "This link has been used or has ended")
    assert "good for one person" not in second.text("#join")
    assert second.find("[name=link]").is_displayed(), "another one can be pasted"
    assert second.find("[name=link]").get_attribute("value") == ""


def test_no_browser_ever_gets_the_cards_of_another(site: Site, two_browsers: list[Browser]) -> None:
    seats = dict(zip(site.links["duel"], two_browsers, strict=True))
    for seat, at in seats.items():
        at.join(site.links["duel"][seat], f"the player of {seat}")
    for _ in range(4):
        mover = site.service.head("duel").to_move[0]
        text = next(iter(site.service.position("duel", Viewer(mover)).legal().texts()))
        seats[mover].play(text)
    number = site.service.head("duel").commit.number
    for at in two_browsers:
        at.until_number(number)
    hands = {seat: figures(site.service, seat) for seat in seats}
    for seat, at in seats.items():
        texts = "\n".join(at.received())
        at.open("/")
        at.until(partial(at.run, "return document.querySelector('#games img')?.complete"))
        texts += "\n".join(at.received())
        assert all(each in texts for each in hands[seat]), "one sees one's own"
        for other in seats:
            if other != seat:
                assert not any(each in texts for each in hands[other])


def figures(service: GameService, seat: str) -> list[str]:
    """The row of a seat's own hand."""
    (hand,) = [table for table in service.position("duel", Viewer(seat)).tables if table.title == "Hands"]
    values = {row[0]: row[1] for row in hand.rows}
    others = {
        row[0]: row[1] for table in service.position("duel").tables if table.title == "Hands" for row in table.rows
    }
    assert values[seat] != others[seat]
    return [values[seat]]


def test_a_page_goes_on_after_lost_connections(site: Site, two_browsers: list[Browser]) -> None:
    at, service = two_browsers[0], site.service
    at.open("/games/zimba")
    at.live()
    assert at.text("#seatbar .watchers") == "1 watching", "oneself, at once"
    part = partial(site.server.http.get, "/games/zimba", headers={"Accept": "text/html", "Zim-Part": "around"})
    at.until(lambda: "1 watching" in part().text, "and for others, by its feed")
    moves = demo_line(zimbabwe.GAME)[1]
    at.cdp("Network.enable")
    for _ in range(20):
        at.cdp("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        at.until(lambda: at.run("return !navigator.onLine"))
        number = service.head("zimba").commit.number
        service.play("zimba", moves[number], by="anna", viewer=Viewer(None))
        at.cdp("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        at.until_number(number + 1)
    texts = at.run("return [...document.querySelectorAll('#log .text')].map(each => each.textContent)")
    for commit, text in zip(service.log("zimba")[1:], texts[1:], strict=True):
        assert commit.text in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_leaves_out_who_cannot_see_it_or_has_no_pointer(
    site: Site, two_browsers: list[Browser], scheme: str
) -> None:
    at = two_browsers[1]
    at.join(site.host)
    for path in ("/", "/join", "/games/zimba", "/games/afri?say=move", "/games/nothing", "/leagues", "/leagues/cup"):
        at.open(path)
        at.size(1280, 900, scheme)
        if path.startswith("/games/") and "nothing" not in path:
            at.live()
        at.cdp("Runtime.evaluate", expression=AXE_SCRIPT)
        report = at.driver.execute_async_script("const done = arguments[0]; axe.run().then(done)")
        report = [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in report["violations"]]
        assert report == [], path


@pytest.mark.parametrize("width", [360, 1024, 2560])
def test_nothing_is_wider_than_the_window(site: Site, two_browsers: list[Browser], width: int) -> None:
    at = two_browsers[1]
    at.complaints()
    for path in ("/", "/join", "/games/zimba", "/games/afri", "/leagues", "/leagues/cup"):
        at.open(path)
        at.size(width)
        if path.startswith("/games/"):
            at.live()
        wide = at.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1] == width, path
        assert at.complaints() == []
    assert at.cdp("Page.getInstallabilityErrors")["installabilityErrors"] == [], "it can be put on a home screen"


def test_all_is_read_without_scripts(site: Site, two_browsers: list[Browser]) -> None:
    at = two_browsers[0]
    at.cdp("Emulation.setScriptExecutionDisabled", value=True)
    try:
        at.open("/games/zimba?at=12")
        source = str(at.driver.page_source)
        assert "<ellipse" in source
        assert "Standings" in source
        assert site.service.position("zimba@12").status in source
        assert site.service.log("zimba")[-1].text in source
    finally:
        at.cdp("Emulation.setScriptExecutionDisabled", value=False)
