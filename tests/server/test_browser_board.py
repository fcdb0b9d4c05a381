"""The board of a page in a real browser: highlights, marks, and parts that stay unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from math import hypot

import pytest

from tests.picture.conftest import demo_options_and_moves
from tests.server.browser import SQUARE_MIDDLE, Browser, browsers, offer_seats
from tests.server.server_process import running_server
from zimcore.games import africana, zimbabwe
from zimcore.service import GameService, Viewer, open_service

TYPED_TEXT = "return document.getElementById('found').dataset.say"
LIT_SQUARES = "return [...document.querySelectorAll('.lights rect')].map(each => each.dataset.square)"


class Site:
    """A service, the links to its games, and a browser."""

    def __init__(self, service: GameService, links: dict[str, dict[str, str]], browser: Browser) -> None:
        self.service = service
        self.links = links
        self.browser = browser

    def sit(self, game: str, seat: str) -> Browser:
        """The browser, with a seat of a game."""
        if seat in self.links[game]:
            self.browser.join(self.links[game].pop(seat), f"Ms {seat.title()}")
        self.browser.open(f"/games/{game}?as={seat}")
        self.browser.wait_until_live()
        return self.browser


@pytest.fixture(scope="module")
def site(find_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    service, links = open_service(f"sqlite:///{folder}/games.db"), {}
    for game, game_name, move_count in ((zimbabwe.GAME, "zimbabwe", 14), (africana.GAME, "africana", 60)):
        options, demo_moves = demo_options_and_moves(game)
        links[game_name] = offer_seats(service, game_name, options, game_name)
        for move in demo_moves[:move_count]:
            service.play(game_name, move, by="anna", viewer=Viewer(None))
    links["new"] = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "new")
    with (
        service.store,
        running_server(folder) as server,
        browsers(server, find_program, [tmp_path_factory.mktemp("profile")]) as [browser],
    ):
        browser.resize(1300)
        yield Site(service, links, browser)


@pytest.mark.parametrize(("game", "text"), [("zimbabwe", "craft potter "), ("africana", "move ")])
def test_only_squares_of_possible_moves_are_lit(site: Site, game: str, text: str) -> None:
    position = site.service.head(game)
    browser = site.sit(game, position.to_move[0])
    assert len(browser.run(LIT_SQUARES)) <= 12, "before anything is said they are lit where they are few"
    browser.type(text)
    browser.until(lambda: browser.run("return document.getElementById('found').dataset.say").strip() == text.strip())
    lit_squares = browser.run("return document.getElementById('found').dataset.lit").split()
    assert sorted(browser.run(LIT_SQUARES)) == sorted(lit_squares)
    squares = {cell.square for row in position.board.cells for cell in row} if position.board else set()
    assert 0 < len(lit_squares) < 200
    assert {*lit_squares} <= squares - {""}
    browser.click("#clear")


def test_few_first_squares_are_lit_before_typing(site: Site) -> None:
    browser = site.sit("new", site.service.head("new").to_move[0])
    assert len(browser.run(LIT_SQUARES)) == 6


def test_moves_since_a_player_s_last_one_are_marked(site: Site) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    build_index = next(
        index for index, move in enumerate(moves) if ": build" in move and moves[index + 1].endswith(": end")
    )
    building_seat = moves[build_index].partition(":")[0]
    site.links["marks"] = offer_seats(site.service, "zimbabwe", options, "marks")
    other_seat = next(seat for seat in site.links["marks"] if seat != building_seat)
    for move in moves[:build_index]:
        site.service.play("marks", move, by="anna", viewer=Viewer(None))
    browser = site.sit("marks", other_seat)
    marks_before = browser.run("return document.querySelectorAll('#board .marks path').length")
    for number in (build_index, build_index + 1):
        site.service.play("marks", moves[number], by="anna", viewer=Viewer(None))
        browser.until_number(number + 1)
        if number == build_index:
            first_marks = browser.run(OPACITY_OF_NEW_MARKS)
            assert first_marks, "what is new moves"
            assert {*first_marks} == {"1"}, "and is never hidden"
    assert browser.run("return document.querySelectorAll('#board .marks path').length") > marks_before
    square = moves[build_index].split()[2]
    assert square in browser.run(
        "return document.querySelector('#log a[data-step=\"" + str(build_index + 1) + "\"]').textContent"
    )
    page = site.browser.run("return fetch(location.href).then(answer => answer.text())")
    marks_drawn = browser.run("return document.querySelectorAll('#board .marks path').length")
    assert page.count('stroke="#fff6dc" stroke-width="5"') == 1, "without scripts one frame goes around all of them"
    assert marks_drawn >= 2


OPACITY_OF_NEW_MARKS = """const moving = document.getAnimations().filter(each => each.effect.target.closest("#board"));
return moving.map(each => {
  each.pause();
  each.currentTime = 0;
  const seen = getComputedStyle(each.effect.target).opacity;
  each.finish();
  return seen;
})"""


def test_an_opened_figure_stays_open_when_another_player_moves(site: Site) -> None:
    browser = site.sit("zimbabwe", "kilwa")
    browser.run("document.querySelector('#tables td a[href$=\"why=zulu.vp\"]').focus()")
    moves = demo_options_and_moves(zimbabwe.GAME)[1]
    number = site.service.head("zimbabwe").commit.number
    site.service.play("zimbabwe", moves[number], by="anna", viewer=Viewer(None))
    browser.until_number(number + 1)
    browser.until(lambda: browser.run("return document.activeElement.getAttribute('href')") == "?as=kilwa&why=zulu.vp")


def test_a_typed_key_begins_a_move(site: Site) -> None:
    browser = site.sit("new", site.service.head("new").to_move[0])
    browser.run("document.activeElement.blur()")
    for kind in ("keyDown", "keyUp"):
        browser.cdp("Input.dispatchKeyEvent", type=kind, key="s", text="s" if kind == "keyDown" else "")
    browser.until(lambda: browser.run("return document.getElementById('words-of-move').value") == "s")
    browser.click("#clear")


def test_the_square_under_the_pointer_is_explained_until_a_click(site: Site) -> None:
    browser = site.sit("zimbabwe", "zulu")
    browser.tap("e1")
    browser.until_text("#because", "e1")
    assert not browser.find("#tip").is_displayed()


def test_players_are_distinguished_without_colours(site: Site) -> None:
    """Each seat has an outline of its own: on the board, beside names, in the log; and the log has names."""
    browser = site.sit("zimbabwe", "zulu")
    seats = browser.run("return [...document.querySelectorAll('#seatbar li')].map(each => each.dataset.seat)")
    outlines = browser.run(
        "return [...document.querySelectorAll('#seatbar .chip path')].map(each => each.getAttribute('d'))"
    )
    assert len(seats) == len({*outlines}) == 4
    board = browser.run("return document.getElementById('board').innerHTML")
    seats_on_board = [seat for seat, outline in zip(seats, outlines, strict=True) if outline in board]
    assert seats_on_board == seats, "all have built by now"
    names = browser.run("return [...document.querySelectorAll('#log [data-who]')].map(each => each.innerText)")
    assert "Ms Zulu" in names
    assert {*names} <= {"Ms Zulu", "Ms Kilwa", "Ms Lozi", "Ms Mutapa", "Kilwa", "Lozi", "Mutapa"}


def test_the_seat_bar_shows_the_figures_of_the_shown_position(site: Site) -> None:
    browser = site.sit("zimbabwe", "zulu")
    position = site.service.head("zimbabwe")

    def figures_shown() -> list[list[str]]:
        figures: list[list[str]] = browser.run(
            "return [...document.querySelectorAll('#seatbar li')].map(each => "
            "[...each.querySelectorAll('[data-figure]')].map(one => one.textContent))"
        )
        return figures

    def figures_of(place: str) -> list[list[str]]:
        shown_position = site.service.position(place)
        figures = [shown_position.game.display.figures(shown_position.state, seat) for seat in shown_position.colours]
        return [[str(each[name]) for name in ("vp", "vr", "cattle")] for each in figures]

    assert figures_shown() == figures_of("zimbabwe")
    seats_to_move = browser.run(
        "return [...document.querySelectorAll('#seatbar .to-move')].map(each => each.dataset.seat)"
    )
    assert seats_to_move == [*position.to_move]
    browser.click("#first")
    browser.until(lambda: figures_shown() == figures_of("zimbabwe@0"))
    browser.click("#last")


def test_players_are_named_and_singulars_are_singular(site: Site) -> None:
    """Names in the log, the facts and the tables, drawn by the server and by a step."""
    browser = site.sit("africana", "italy")
    names = browser.run(
        "return [...document.querySelectorAll('#tables > table tr td:first-child')].map(each => each.innerText)"
    )
    assert any("Ms Italy" in name for name in names)
    assert not any(name.strip() == "italy" for name in names)
    assert re.search(r"\b1 card\b", browser.text("#seatbar"))
    assert not re.search(r"\b1 cards\b", browser.text("#seatbar"))
    assert "Ms Italy" in browser.text("#tables details")  # who is on an expedition
    seat = site.service.head("zimbabwe").to_move[0]
    browser = site.sit("zimbabwe", seat)
    for number in range(site.service.head("zimbabwe").commit.number + 1):
        browser.run("document.querySelector(`#log a[data-step='${arguments[0]}']`).click()", number)
        text = browser.text("#tables .facts") + browser.text("#log a[aria-current] .text")
        assert not re.search(
            rf"(?<![-@\w]){seat}(?![-@\w])", text.replace(browser.text("#log a[aria-current] .notation"), "")
        ), text


def test_the_play_button_keeps_its_place_and_a_ghost_shows_the_effect_of_a_move(site: Site) -> None:
    seat_to_move = site.service.head("new").to_move[0]
    browser = site.sit("new", seat_to_move)
    button_place_script = (
        "const at = document.querySelector('.playbar .play').getBoundingClientRect(); return [at.left, at.top]"
    )
    place_before = browser.run(button_place_script)
    assert browser.run("return document.querySelector('.playbar .play').disabled")
    [square, *_] = browser.run(LIT_SQUARES)
    browser.tap(square)
    browser.until(lambda: browser.find_all(".preview .play"))
    browser.until(lambda: browser.find_all("#board .ghost"), "what it would add stands on the board")
    assert browser.run(button_place_script) == place_before
    assert "+1 VP" in browser.run("return document.querySelector('#board .ghost').textContent")
    assert site.service.head("new").commit.number == 0, "nothing is played yet"
    browser.click("#clear")
    browser.until(lambda: not browser.find_all("#board .ghost"))
    x, y = browser.run(SQUARE_MIDDLE, square)
    browser.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.until(lambda: browser.find_all("#board .ghost"), "a mouse that rests on a lit square shows it, too")
    assert browser.run("return document.getElementById('found').dataset.squares") == ""
    browser.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    browser.until(lambda: not browser.find_all("#board .ghost"))


@pytest.mark.parametrize("game", ["zimbabwe", "africana"])
def test_on_a_phone_the_play_button_and_the_offers_are_above_the_footer(site: Site, game: str) -> None:
    seat = site.service.head(game).to_move[0]
    browser = site.sit(game, seat)
    browser.resize(390, 844)
    try:
        bottom_script = "return arguments[0].getBoundingClientRect().bottom"
        assert browser.run(bottom_script, browser.find(".playbar")) <= 844
        lit_squares = browser.run("return document.getElementById('found').dataset.lit").split()
        browser.tap(lit_squares[0])
        browser.until(lambda: browser.run("return document.getElementById('found').dataset.squares"))
        for selector in (".playbar", "#how-many", "#found"):
            assert browser.run(bottom_script, browser.find(selector)) <= browser.run(
                "return document.getElementById('steps').getBoundingClientRect().top + 1"
            ), selector
    finally:
        browser.click("#clear")
        browser.resize(1300)


def test_a_bid_on_a_phone_needs_no_scrolling(site: Site) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    site.links["bid"] = offer_seats(site.service, "zimbabwe", options, "bid")
    first_bid = next(number for number, move in enumerate(moves) if ": bid" in move)
    for move in moves[:first_bid]:
        site.service.play("bid", move, by="anna", viewer=Viewer(None))
    browser = site.sit("bid", moves[first_bid].partition(":")[0])
    browser.resize(390, 844)
    try:
        browser.run("scrollTo(0, 0)")
        while not browser.find_all(".preview .play"):
            text = browser.run(TYPED_TEXT)
            assert browser.run(PRESS_ELEMENT, "#found .offers a") == ""
            browser.until(lambda before=text: browser.run(TYPED_TEXT) != before)  # type: ignore[misc]
        assert browser.run(PRESS_ELEMENT, ".preview .play") == ""
        browser.until_number(first_bid + 1)
    finally:
        browser.resize(1300)


PRESS_ELEMENT = """const at = document.querySelector(arguments[0]);
const { left, top, width, height } = at.getBoundingClientRect();
const on = document.elementFromPoint(left + width / 2, top + height / 2);
if (!at.contains(on)) return on?.outerHTML ?? "out of view";
at.click();
return "";"""


@pytest.mark.parametrize("game", ["zimbabwe", "africana"])
def test_no_column_of_the_standings_is_cut_off(site: Site, game: str) -> None:
    browser = site.browser
    browser.open(f"/games/{game}")
    browser.wait_until_live()
    try:
        for width in (1024, 1280, 1300, 1600, 1920):
            browser.resize(width, 900)
            widths = browser.run("const at = document.getElementById('how'); return [at.scrollWidth, at.clientWidth]")
            assert widths[0] <= widths[1], width
    finally:
        browser.resize(1300)


def test_a_position_is_printed_on_one_sheet_without_buttons(site: Site) -> None:
    browser = site.sit("zimbabwe", "zulu")
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    try:
        control_count = browser.run(
            "return [...document.querySelectorAll('button, input')].filter(each => each.offsetParent).length"
        )
        assert control_count == 0
        assert browser.find("#board").is_displayed()
        assert browser.find("#seatbar").is_displayed()
    finally:
        browser.cdp("Emulation.setEmulatedMedia", media="screen")


def test_squares_are_large_enough_to_tap_when_zoomed_in(site: Site) -> None:
    browser = site.sit("zimbabwe", "zulu")
    browser.resize(390, 844)
    try:
        square_width_script = "return document.getElementById('board').getScreenCTM().a * 44"
        assert browser.run(square_width_script) < 32
        for _ in range(2):
            browser.click("#closer")
        assert browser.run(square_width_script) >= 32
        browser.click("#whole")
    finally:
        browser.resize(1300)


def play_to_the_end(site: Site) -> None:
    """Plays the game `over`, unless a test before has done so."""
    if "over" in site.links:
        return
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    site.links["over"] = offer_seats(site.service, "zimbabwe", options, "over")
    for move in moves:
        site.service.play("over", move, by="anna", viewer=Viewer(None))


def test_a_finished_game_shows_a_ranking_a_curve_and_its_turning_points(site: Site) -> None:
    play_to_the_end(site)
    browser = site.sit("over", "kilwa")
    shown_ranking = browser.run("return [...document.querySelectorAll('.ranking b')].map(each => each.textContent)")
    ranking = [seat for seats in site.service.head("over").outcome.ranking for seat in seats]
    assert shown_ranking == ["Ms Kilwa" if seat == "kilwa" else seat.title() for seat in ranking]
    browser.until(lambda: "chance to win" in browser.run("return document.getElementById('course').textContent"))
    assert browser.run("return document.querySelector('#course svg').getBoundingClientRect().width") > 600
    assert browser.run("return document.querySelectorAll('#course .axis').length") > 8, "both axes have figures"
    browser.until(lambda: browser.find_all("#turning li a"))
    turn_texts = browser.run("return [...document.querySelectorAll('#turning li a')].map(each => each.textContent)")
    assert not any(text.strip().endswith((": end", "ends the turn")) and len(text) < 30 for text in turn_texts)
    browser.run(CLICK_ON_CURVE)
    browser.until_text("#status", "looking back")
    browser.click("#turning .try")
    name, place = browser.run(
        "const { name, at } = document.getElementById('try-it').elements; return [name.value, at.value]"
    )
    assert name == f"try-{int(place) + 1}"
    assert browser.find("#try-it select").is_displayed()
    browser.click("#try-it button")
    browser.until_text(".own-line", "programs play")


@pytest.mark.parametrize("width", [390, 1024, 1300, 1920])
@pytest.mark.parametrize("game", ["zimbabwe", "africana", "over"])
def test_the_zoom_buttons_cover_nothing(site: Site, game: str, width: int) -> None:
    play_to_the_end(site)
    browser = site.browser
    browser.resize(width, 844)
    try:
        browser.open(f"/games/{game}")
        browser.wait_until_live()
        assert browser.find("#zoom").is_displayed()
        assert browser.run(COVERED_BY_ZOOM) == []
    finally:
        browser.resize(1300)


COVERED_BY_ZOOM = """const zoom = document.getElementById("zoom").getBoundingClientRect();
return [...document.querySelectorAll("#board, #course, #players, #beside, #moves, #steps > *")].filter(each => {
  const at = each.getBoundingClientRect();
  const inside = Math.min(zoom.right, at.right) - Math.max(zoom.left, at.left);
  return at.width && inside > 1 && Math.min(zoom.bottom, at.bottom) - Math.max(zoom.top, at.top) > 1;
}).map(each => each.id || each.outerHTML.slice(0, 60))"""

CLICK_ON_CURVE = """const at = document.querySelector("#course svg"), { left, width, top } = at.getBoundingClientRect();
at.dispatchEvent(new MouseEvent("click", { clientX: left + width / 2, clientY: top + 20, bubbles: true }));"""


def test_missed_moves_are_replayed_with_captions(site: Site) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    site.links["away"] = offer_seats(site.service, "zimbabwe", options, "away")
    for move in moves[:26]:
        site.service.play("away", move, by="anna", viewer=Viewer(None))
    browser = site.sit("away", "mutapa")
    assert not browser.find("#caption").is_displayed(), "nothing was missed yet"
    browser.open("/")
    for move in moves[26:29]:
        site.service.play("away", move, by="anna", viewer=Viewer(None))
    browser.open("/games/away?as=mutapa")
    browser.wait_until_live()
    browser.until_text("#caption", "Lozi places a potter")
    browser.until_text("#caption", "3 moves since you looked")
    assert browser.text("#where") == "29"


@pytest.mark.parametrize(("name", "step"), [("no-such-mark", "15"), ("1-is-no-number", "15"), ("7", "7"), ("", "15")])
def test_an_address_that_names_no_step_shows_the_head(site: Site, name: str, step: str) -> None:
    browser = site.browser
    if "named" not in site.links:
        options, moves = demo_options_and_moves(zimbabwe.GAME)
        site.links["named"] = offer_seats(site.service, "zimbabwe", options, "named")
        for move in moves[:15]:
            site.service.play("named", move, by="anna", viewer=Viewer(None))
    browser.open("/")  # the same page with another # would not be read anew
    browser.open(f"/games/named#{name}")
    browser.wait_until_live()
    assert browser.run(SHOWN_STEP) == step


def test_an_unknown_step_in_the_address_leaves_the_board_unchanged(site: Site) -> None:
    browser = site.sit("zimbabwe", "zulu")
    browser.click("#back")
    step_before = browser.run(SHOWN_STEP)
    browser.run("location.hash = 'no-such-mark'")
    browser.until(lambda: browser.run("return location.hash") == f"#{step_before}", "the address names the step again")
    assert browser.run(SHOWN_STEP) == step_before


SHOWN_STEP = "return document.getElementById('slider').value"


def test_an_error_page_of_a_proxy_is_not_shown_and_the_request_is_retried(site: Site) -> None:
    browser = site.sit("new", site.service.head("new").to_move[0])
    number_before = site.service.head("new").commit.number
    browser.run(BREAK_FETCH, "GET")
    browser.type("start a1")
    browser.until_text("#link-state", "not connected; trying again")
    assert "Bad Gateway" not in browser.text("body")
    assert browser.find_all("#words-of-move"), "what is typed stays"
    browser.run("window.fetch = window.healthy")
    browser.until(lambda: browser.find_all(".preview .play"), "it is asked again")
    browser.until(lambda: browser.text("#link-state") == "")
    browser.run(BREAK_FETCH, "POST")
    browser.click(".preview .play")
    browser.until_text("#dock", "Not sent yet")
    assert "Bad Gateway" not in browser.text("body")
    browser.run("window.fetch = window.healthy")
    browser.until(lambda: site.service.head("new").commit.number == number_before + 1)
    browser.until_text("#log", "a1")
    browser.until(lambda: browser.text("#link-state") == "")


BREAK_FETCH = """window.healthy ??= window.fetch;
const page = () => new Response("<h1>502 Bad Gateway</h1>", { status: 502, headers: { "Content-Type": "text/html" } });
window.fetch = (address, options) =>
  (options?.method ?? "GET") === arguments[0] ? Promise.resolve(page()) : window.healthy(address, options);"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_payments_are_shown_before_a_move_and_slide_after_it_unless_motion_is_reduced(site: Site, motion: str) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    raise_number = 37  # the first raise that pays another player
    name = f"paid-{motion}"
    site.links[name] = offer_seats(site.service, "zimbabwe", options, name)
    for move in moves[: raise_number - 1]:
        site.service.play(name, move, by="anna", viewer=Viewer(None))
    browser = site.browser
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": motion}])
    try:
        site.sit(name, "kilwa")
        browser.type(moves[raise_number - 1].partition(": ")[2])
        browser.until(lambda: browser.find_all("#board .ghost"))
        assert {
            *browser.run("return [...document.querySelectorAll('.ghost g > text')].map(each => each.textContent)")
        } >= {"+2"}, "an arrow leads to the craftsman who is paid"
        assert browser.run(READ_PAYMENTS) == {"kilwa": "▸ −4 cattle", "zulu": "◂ +2 cattle"}, (
            "2 go to a card of Kilwa's own"
        )
        assert browser.run("return document.querySelector('#board').lastElementChild.classList.contains('ghost')")
        browser.click(".preview .play")
        browser.until_number(raise_number)
        browser.until(lambda: not browser.run(READ_PAYMENTS))
        browser.click("#back")
        figures = {
            f"{seat} {figure_name}"
            for seat in site.service.head(name).colours
            for index, figure_name in enumerate(("vp", "vr", "cattle"))
            if len({figures_at(site, f"{name}@{number}", seat)[index] for number in (raise_number - 1, raise_number)})
            == 2
        }
        assert "kilwa cattle" in figures
        slid_figures = browser.run(SLIDING_FIGURES)
        assert {*slid_figures} == ({*figures, "coin 2"} if motion == "no-preference" else set())
    finally:
        browser.resize(1300)


def test_bar_board_and_text_agree_about_a_raise_and_no_sum_covers_another(site: Site) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    site.links["raise"] = offer_seats(site.service, "zimbabwe", options, "raise")
    for move in moves[:LONG_RAISE_INDEX]:
        site.service.play("raise", move, by="anna", viewer=Viewer(None))
    seat, _, text = moves[LONG_RAISE_INDEX].partition(": ")
    browser = site.sit("raise", seat)
    browser.type(text)
    browser.until(lambda: browser.find_all("#board .ghost"))
    assert "-10 cattle, +10 VP" in browser.run("return document.querySelector('.ghost').lastElementChild.textContent")
    assert browser.text(".playbar strong").endswith("(-10 cattle, +10 VP)")
    assert browser.run(READ_PAYMENTS)[seat] == "▸ −10 cattle"
    plates = browser.run(PAYMENT_PLATES)
    assert len(plates) == 7, "one for each payment to another player"
    gaps = [
        hypot(x - other_x, y - other_y) - diameter
        for (x, y, diameter), (other_x, other_y, _) in combinations(plates, 2)
    ]
    assert min(gaps) >= 0
    browser.resize(390, 844)
    try:
        command = browser.text(".playbar .play").replace(" :", ":")
        assert command == f"Play: {text.replace('_', ' ')}", "as a screen reader has it"
        assert browser.run("return document.querySelector('.playbar .play').getBoundingClientRect().height") < 60
        assert browser.run(CUT_OFF_ELEMENTS, ".playbar .play, .playbar strong, .notated-move") == []
        assert browser.text(".notated-move") == text
    finally:
        browser.resize(1300)


LONG_RAISE_INDEX = 144
"""The move of the demonstration with the longest notation."""

PAYMENT_PLATES = """return [...document.querySelectorAll('.ghost g > circle:first-child')].filter(
  each => each.nextElementSibling.textContent.startsWith("+")).map(each => {
  const { left, top, width } = each.getBoundingClientRect();
  return [left + width / 2, top + width / 2, width];
})"""

CUT_OFF_ELEMENTS = """return [...document.querySelectorAll(arguments[0])].filter(each => {
  const { left, right } = each.getBoundingClientRect();
  return each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1 || left < 0 ||
    right > innerWidth;
}).map(each => each.outerHTML.slice(0, 80))"""


def test_a_finished_game_explains_its_ranking_and_offers_another_turn(site: Site) -> None:
    play_to_the_end(site)
    browser = site.sit("over", "kilwa")
    browser.click("#asked summary")
    browser.until_text("#asked details", "the one wins who is furthest above it")
    assert (
        browser.run("return document.querySelector('#asked details a').getAttribute('href')")
        == "/rules/zimbabwe#R-END-02"
    )
    browser.click("#asked summary")
    bottom_edges = browser.run(
        "return ['#try-it button', '#beside'].map(each => document.querySelector(each).getBoundingClientRect().bottom)"
    )
    assert bottom_edges[0] < bottom_edges[1], "without scrolling"
    assert browser.run("return document.querySelector('#try-it button').disabled"), "the game is over here"
    browser.click("#first")
    assert not browser.run("return document.querySelector('#try-it button').disabled")
    browser.click("#try-it button")
    browser.until_text(".own-line", "programs play")
    browser.wait_until_live()
    assert browser.text("#seatbar").count("played by strong") == 3
    browser.open("/games/over?as=kilwa")
    browser.wait_until_live()
    assert browser.run("return document.querySelector('#try-it [name=name]').value") not in browser.text("#lines")


def test_the_course_of_a_game_is_drawn_again_for_another_width(site: Site) -> None:
    play_to_the_end(site)
    browser = site.sit("over", "kilwa")
    browser.until(lambda: browser.find_all("#course svg"))
    try:
        for width in (1920, 1024, 390):
            browser.resize(width)
            browser.until(lambda: browser.run(COURSE_SCALE) == 1, f"at {width} its text has its size")
    finally:
        browser.resize(1300)


COURSE_SCALE = """const at = document.querySelector("#course svg");
return Math.round(100 * at.getBoundingClientRect().width / at.viewBox.baseVal.width) / 100"""


def figures_at(site: Site, place: str, seat: str) -> list[int]:
    position = site.service.position(place)
    figures = position.game.display.figures(position.state, seat)
    return [figures[name] for name in ("vp", "vr", "cattle")]


READ_PAYMENTS = """return Object.fromEntries([...document.querySelectorAll("#seatbar .pays")].map(
  each => [each.closest("[data-seat]").dataset.seat, each.textContent]))"""

SLIDING_FIGURES = """document.getElementById("next").click();
return document.getElementById("players").getAnimations({ subtree: true }).map(each => {
  const place = each.effect.target, seat = place.closest("[data-seat]")?.dataset.seat;
  return seat ? `${seat} ${["vp", "vr", "cattle"][place.dataset.figure]}` : `${place.className} ${place.textContent}`;
});"""


WORTHS = """const { lit, worth } = document.getElementById("found").dataset;
return lit.split(" ").map((name, at) => [name, worth[at]])"""


def test_squares_are_tinted_by_worth_and_a_pointer_shows_the_best_move_there(site: Site) -> None:
    seat = site.service.head("zimbabwe").to_move[0]
    browser = site.sit("zimbabwe", seat)
    browser.click("#verbs a[data-word=build]")
    browser.until(lambda: browser.run(TYPED_TEXT) == "build ")
    squares_by_worth = {worth: name for name, worth in browser.run(WORTHS)}
    assert {"1", "4"} <= squares_by_worth.keys()
    best = squares_by_worth["4"]
    tint = "return getComputedStyle(document.querySelector(`.lights [data-square=${arguments[0]}]`)).fillOpacity"
    assert browser.run(tint, best) > browser.run(tint, squares_by_worth["1"])
    x, y = browser.run(SQUARE_MIDDLE, best)
    browser.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.until(lambda: browser.find_all("#board .ghost path[stroke-width='1.8']"), "whose goods would reach it")
    browser.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    browser.click("#clear")


def test_the_inspector_shows_what_is_within_reach_in_every_turn(site: Site) -> None:
    browser = site.sit("zimbabwe", "zulu")
    browser.click("#inspect")
    x, y = browser.run(SQUARE_MIDDLE, "e5")
    browser.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.until_text("#caption", "in range of e5")
    browser.click("#inspect")
    browser.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x + 1, y=y)
    browser.until_text("#caption", "from e5: hubs on the way")
    browser.click("#back")
    browser.until(lambda: not browser.find_all("#board .inspected"))
    browser.click("#last")
    while browser.run("return document.getElementById('inspect').getAttribute('aria-pressed')") == "true":
        browser.click("#inspect")


def test_a_hand_lies_on_the_table_as_cards_that_choose_moves(site: Site) -> None:
    seat = site.service.head("africana").to_move[0]
    position = site.service.position("africana", Viewer(seat))
    browser = site.sit("africana", seat)
    names = browser.run("return [...document.querySelectorAll('#hand a')].map(each => each.dataset.card)")
    assert names == [*position.game.display.figures(position.state, seat)["hand"]]
    browser.click("#hand a")
    browser.until(lambda: names[0] in browser.run("return document.getElementById('found').dataset.squares").split())
    moves = {text for text in position.legal().texts() if names[0] in text.split()}
    browser.until_text("#how-many", f"with {names[0]}")
    lit = browser.run("return document.getElementById('found').dataset.lit").split()
    assert {*lit} <= {text.split()[1] for text in moves if text.startswith("move")}
    browser.resize(390, 844)
    try:
        assert browser.run("return document.querySelector('#hand').getBoundingClientRect().top") < 844 - 60
    finally:
        browser.resize(1300)
        browser.click("#clear")


def test_on_a_phone_a_verb_brings_the_board_back_on_which_it_lights_squares(site: Site) -> None:
    seat = site.service.head("africana").to_move[0]
    browser = site.sit("africana", seat)
    browser.resize(390, 844)
    try:
        browser.run("scrollTo(0, 900)")
        browser.click("#verbs a[data-word=move]")
        browser.until(lambda: browser.find_all("#found:not([data-lit=''])"))
        browser.until(lambda: browser.run("return document.getElementById('board').getBoundingClientRect().top >= -5"))
    finally:
        browser.resize(1300)
        browser.click("#clear")
