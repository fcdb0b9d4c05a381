"""The board of a page in a real browser: highlights, marks, and parts that stay unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from math import hypot

import pytest

from tests.picture.conftest import demo_line
from tests.server.browsing import MIDDLE, Browser, browsers, offer_seats
from tests.server.process import serving
from zimcore.games import africana, zimbabwe
from zimcore.service import GameService, Viewer, open_service

LIT = "return [...document.querySelectorAll('.lights rect')].map(each => each.dataset.square)"


class Site:
    """A service, the links to its games, and a browser."""

    def __init__(self, service: GameService, links: dict[str, dict[str, str]], at: Browser) -> None:
        self.service = service
        self.links = links
        self.at = at

    def sit(self, game: str, seat: str) -> Browser:
        """The browser, with a seat of a game."""
        if seat in self.links[game]:
            self.at.join(self.links[game].pop(seat), f"Ms {seat.title()}")
        self.at.open(f"/games/{game}?as={seat}")
        self.at.live()
        return self.at


@pytest.fixture(scope="module")
def site(program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    service, links = open_service(f"sqlite:///{folder}/games.db"), {}
    for game, name, moves in ((zimbabwe.GAME, "zimbabwe", 14), (africana.GAME, "africana", 60)):
        options, played = demo_line(game)
        links[name] = offer_seats(service, name, options, name)
        for move in played[:moves]:
            service.play(name, move, by="anna", viewer=Viewer(None))
    links["new"] = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "new")
    with (
        service.store,
        serving(folder) as server,
        browsers(server, program, [tmp_path_factory.mktemp("profile")]) as [at],
    ):
        at.size(1300)
        yield Site(service, links, at)


@pytest.mark.parametrize(("game", "say"), [("zimbabwe", "craft potter "), ("africana", "move ")])
def test_only_squares_are_lit_and_only_those_that_could_be_meant(site: Site, game: str, say: str) -> None:
    position = site.service.head(game)
    at = site.sit(game, position.to_move[0])
    assert len(at.run(LIT)) <= 12, "before anything is said they are lit where they are few"
    at.type(say)
    at.until(lambda: at.run("return document.getElementById('found').dataset.say").strip() == say.strip())
    lit_squares = at.run("return document.getElementById('found').dataset.lit").split()
    assert sorted(at.run(LIT)) == sorted(lit_squares)
    squares = {cell.square for row in position.board.cells for cell in row} if position.board else set()
    assert 0 < len(lit_squares) < 200
    assert {*lit_squares} <= squares - {""}
    at.click("#clear")


def test_the_few_squares_to_begin_on_are_lit_before_one_types(site: Site) -> None:
    at = site.sit("new", site.service.head("new").to_move[0])
    assert len(at.run(LIT)) == 6


def test_all_that_was_played_since_ones_own_last_move_is_marked(site: Site) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    built = next(at for at, move in enumerate(moves) if ": build" in move and moves[at + 1].endswith(": end"))
    mover = moves[built].partition(":")[0]
    site.links["marks"] = offer_seats(site.service, "zimbabwe", options, "marks")
    other = next(seat for seat in site.links["marks"] if seat != mover)
    for move in moves[:built]:
        site.service.play("marks", move, by="anna", viewer=Viewer(None))
    at = site.sit("marks", other)
    before = at.run("return document.querySelectorAll('#board .marks path').length")
    for number in (built, built + 1):
        site.service.play("marks", moves[number], by="anna", viewer=Viewer(None))
        at.until_number(number + 1)
        if number == built:
            first_marks = at.run(FIRST_MOMENT)
            assert first_marks, "what is new moves"
            assert {*first_marks} == {"1"}, "and is never hidden"
    assert at.run("return document.querySelectorAll('#board .marks path').length") > before
    square = moves[built].split()[2]
    assert square in at.run("return document.querySelector('#log a[data-step=\"" + str(built + 1) + "\"]').textContent")
    page = site.at.run("return fetch(location.href).then(answer => answer.text())")
    drawn = at.run("return document.querySelectorAll('#board .marks path').length")
    assert page.count('stroke="#fff6dc" stroke-width="5"') == 1, "without scripts one frame goes around all of them"
    assert drawn >= 2


FIRST_MOMENT = """const moving = document.getAnimations().filter(each => each.effect.target.closest("#board"));
return moving.map(each => {
  each.pause();
  each.currentTime = 0;
  const seen = getComputedStyle(each.effect.target).opacity;
  each.finish();
  return seen;
})"""


def test_an_opened_figure_stays_open_when_another_player_moves(site: Site) -> None:
    at = site.sit("zimbabwe", "kilwa")
    at.run("document.querySelector('#tables td a[href$=\"why=zulu.vp\"]').focus()")
    moves = demo_line(zimbabwe.GAME)[1]
    number = site.service.head("zimbabwe").commit.number
    site.service.play("zimbabwe", moves[number], by="anna", viewer=Viewer(None))
    at.until_number(number + 1)
    at.until(lambda: at.run("return document.activeElement.getAttribute('href')") == "?as=kilwa&why=zulu.vp")


def test_who_begins_to_type_begins_a_move(site: Site) -> None:
    at = site.sit("new", site.service.head("new").to_move[0])
    at.run("document.activeElement.blur()")
    for kind in ("keyDown", "keyUp"):
        at.cdp("Input.dispatchKeyEvent", type=kind, key="s", text="s" if kind == "keyDown" else "")
    at.until(lambda: at.run("return document.getElementById('words-of-move').value") == "s")
    at.click("#clear")


def test_the_square_under_the_pointer_is_explained_until_a_click(site: Site) -> None:
    at = site.sit("zimbabwe", "zulu")
    at.tap("e1")
    at.until_text("#because", "e1")
    assert not at.find("#tip").is_displayed()


def test_players_are_distinguished_without_colours(site: Site) -> None:
    """Each seat has an outline of its own: on the board, beside names, in the log; and the log has names."""
    at = site.sit("zimbabwe", "zulu")
    seats = at.run("return [...document.querySelectorAll('#seatbar li')].map(each => each.dataset.seat)")
    outlines = at.run(
        "return [...document.querySelectorAll('#seatbar .chip path')].map(each => each.getAttribute('d'))"
    )
    assert len(seats) == len({*outlines}) == 4
    board = at.run("return document.getElementById('board').innerHTML")
    standing = [seat for seat, outline in zip(seats, outlines, strict=True) if outline in board]
    assert standing == seats, "all have built by now"
    names = at.run("return [...document.querySelectorAll('#log [data-who]')].map(each => each.innerText)")
    assert "Ms Zulu" in names
    assert {*names} <= {"Ms Zulu", "Ms Kilwa", "Ms Lozi", "Ms Mutapa", "Kilwa", "Lozi", "Mutapa"}


def test_the_seat_bar_shows_how_all_stand_where_one_looks(site: Site) -> None:
    at = site.sit("zimbabwe", "zulu")
    position = site.service.head("zimbabwe")

    def figures_shown() -> list[list[str]]:
        figures: list[list[str]] = at.run(
            "return [...document.querySelectorAll('#seatbar li')].map(each => "
            "[...each.querySelectorAll('[data-figure]')].map(one => one.textContent))"
        )
        return figures

    def stands(place: str) -> list[list[str]]:
        there = site.service.position(place)
        figures = [there.game.display.figures(there.state, seat) for seat in there.colours]
        return [[str(each[name]) for name in ("vp", "vr", "cattle")] for each in figures]

    assert figures_shown() == stands("zimbabwe")
    moving = at.run("return [...document.querySelectorAll('#seatbar .to-move')].map(each => each.dataset.seat)")
    assert moving == [*position.to_move]
    at.click("#first")
    at.until(lambda: figures_shown() == stands("zimbabwe@0"))
    at.click("#last")


def test_people_are_called_by_their_names_and_one_is_one(site: Site) -> None:
    """In the log, the facts and the tables, where a step and where the server draws them."""
    at = site.sit("africana", "italy")
    names = at.run(
        "return [...document.querySelectorAll('#tables > table tr td:first-child')].map(each => each.innerText)"
    )
    assert any("Ms Italy" in name for name in names)
    assert not any(name.strip() == "italy" for name in names)
    assert re.search(r"\b1 card\b", at.text("#seatbar"))
    assert not re.search(r"\b1 cards\b", at.text("#seatbar"))
    assert "Ms Italy" in at.text("#tables details")  # who is on an expedition
    seat = site.service.head("zimbabwe").to_move[0]
    at = site.sit("zimbabwe", seat)
    for n in range(site.service.head("zimbabwe").commit.number + 1):
        at.run("document.querySelector(`#log a[data-step='${arguments[0]}']`).click()", n)
        text = at.text("#tables .facts") + at.text("#log a[aria-current] .text")
        assert not re.search(
            rf"(?<![-@\w]){seat}(?![-@\w])", text.replace(at.text("#log a[aria-current] .notation"), "")
        ), text


def test_the_play_button_keeps_its_place_and_a_ghost_shows_what_a_move_brings(site: Site) -> None:
    mover = site.service.head("new").to_move[0]
    at = site.sit("new", mover)
    place = "const at = document.querySelector('.playbar .play').getBoundingClientRect(); return [at.left, at.top]"
    before = at.run(place)
    assert at.run("return document.querySelector('.playbar .play').disabled")
    [square, *_] = at.run(LIT)
    at.tap(square)
    at.until(lambda: at.all(".preview .play"))
    at.until(lambda: at.all("#board .ghost"), "what it would add stands on the board")
    assert at.run(place) == before
    assert "+1 VP" in at.run("return document.querySelector('#board .ghost').textContent")
    assert site.service.head("new").commit.number == 0, "nothing is played yet"
    at.click("#clear")
    at.until(lambda: not at.all("#board .ghost"))
    x, y = at.run(MIDDLE, square)
    at.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    at.until(lambda: at.all("#board .ghost"), "a mouse that rests on a lit square shows it, too")
    assert at.run("return document.getElementById('found').dataset.squares") == ""
    at.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    at.until(lambda: not at.all("#board .ghost"))


@pytest.mark.parametrize("game", ["zimbabwe", "africana"])
def test_on_a_phone_play_and_what_could_be_meant_stand_above_the_footer(site: Site, game: str) -> None:
    seat = site.service.head(game).to_move[0]
    at = site.sit(game, seat)
    at.size(390, 844)
    try:
        bottom = "return arguments[0].getBoundingClientRect().bottom"
        assert at.run(bottom, at.find(".playbar")) <= 844
        lit = at.run("return document.getElementById('found').dataset.lit").split()
        at.tap(lit[0])
        at.until(lambda: at.run("return document.getElementById('found').dataset.squares"))
        for selector in (".playbar", "#how-many", "#found"):
            assert at.run(bottom, at.find(selector)) <= at.run(
                "return document.getElementById('steps').getBoundingClientRect().top + 1"
            ), selector
    finally:
        at.click("#clear")
        at.size(1300)


def test_a_bid_is_made_on_a_phone_without_a_scroll(site: Site) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    site.links["bid"] = offer_seats(site.service, "zimbabwe", options, "bid")
    first = next(number for number, move in enumerate(moves) if ": bid" in move)
    for move in moves[:first]:
        site.service.play("bid", move, by="anna", viewer=Viewer(None))
    at = site.sit("bid", moves[first].partition(":")[0])
    at.size(390, 844)
    try:
        at.run("scrollTo(0, 0)")
        while not at.all(".preview .play"):
            text = at.run("return document.getElementById('found').dataset.say")
            assert at.run(PRESSED, "#found .offers a") == ""
            at.until(lambda said=text: at.run("return document.getElementById('found').dataset.say") != said)  # type: ignore[misc]
        assert at.run(PRESSED, ".preview .play") == ""
        at.until_number(first + 1)
    finally:
        at.size(1300)


PRESSED = """const at = document.querySelector(arguments[0]), { left, top, width, height } = at.getBoundingClientRect();
const on = document.elementFromPoint(left + width / 2, top + height / 2);
if (!at.contains(on)) return on?.outerHTML ?? "out of view";
at.click();
return "";"""


@pytest.mark.parametrize("game", ["zimbabwe", "africana"])
def test_no_column_of_the_standings_is_cut_off(site: Site, game: str) -> None:
    at = site.at
    at.open(f"/games/{game}")
    at.live()
    try:
        for width in (1024, 1280, 1300, 1600, 1920):
            at.size(width, 900)
            wide = at.run("const at = document.getElementById('how'); return [at.scrollWidth, at.clientWidth]")
            assert wide[0] <= wide[1], width
    finally:
        at.size(1300)


def test_a_position_is_printed_on_one_sheet_without_buttons(site: Site) -> None:
    at = site.sit("zimbabwe", "zulu")
    at.cdp("Emulation.setEmulatedMedia", media="print")
    try:
        count = at.run(
            "return [...document.querySelectorAll('button, input')].filter(each => each.offsetParent).length"
        )
        assert count == 0
        assert at.find("#board").is_displayed()
        assert at.find("#seatbar").is_displayed()
    finally:
        at.cdp("Emulation.setEmulatedMedia", media="screen")


def test_squares_are_large_enough_to_tap_when_one_comes_closer(site: Site) -> None:
    at = site.sit("zimbabwe", "zulu")
    at.size(390, 844)
    try:
        across = "return document.getElementById('board').getScreenCTM().a * 44"
        assert at.run(across) < 32
        for _ in range(2):
            at.click("#closer")
        assert at.run(across) >= 32
        at.click("#whole")
    finally:
        at.size(1300)


def play_to_the_end(site: Site) -> None:
    """Plays the game `over`, unless a test before has done so."""
    if "over" in site.links:
        return
    options, moves = demo_line(zimbabwe.GAME)
    site.links["over"] = offer_seats(site.service, "zimbabwe", options, "over")
    for move in moves:
        site.service.play("over", move, by="anna", viewer=Viewer(None))


def test_a_game_that_is_over_has_a_ranking_a_wide_curve_and_turns_that_say_what_was_played(site: Site) -> None:
    play_to_the_end(site)
    at = site.sit("over", "kilwa")
    ranked = at.run("return [...document.querySelectorAll('.ranking b')].map(each => each.textContent)")
    wanted = [seat for seats in site.service.head("over").outcome.ranking for seat in seats]
    assert ranked == ["Ms Kilwa" if seat == "kilwa" else seat.title() for seat in wanted]
    at.until(lambda: "chance to win" in at.run("return document.getElementById('course').textContent"))
    assert at.run("return document.querySelector('#course svg').getBoundingClientRect().width") > 600
    assert at.run("return document.querySelectorAll('#course .axis').length") > 8, "both axes have figures"
    at.until(lambda: at.all("#turning li a"))
    turns = at.run("return [...document.querySelectorAll('#turning li a')].map(each => each.textContent)")
    assert not any(text.strip().endswith((": end", "ends the turn")) and len(text) < 30 for text in turns)
    at.run(STEP)
    at.until_text("#status", "looking back")
    at.click("#turning .try")
    name, place = at.run(
        "const { name, at } = document.getElementById('try-it').elements; return [name.value, at.value]"
    )
    assert name == f"try-{int(place) + 1}"
    assert at.find("#try-it select").is_displayed()
    at.click("#try-it button")
    at.until_text(".own-line", "programs play")


@pytest.mark.parametrize("width", [390, 1024, 1300, 1920])
@pytest.mark.parametrize("game", ["zimbabwe", "africana", "over"])
def test_the_buttons_that_zoom_cover_nothing(site: Site, game: str, width: int) -> None:
    play_to_the_end(site)
    at = site.at
    at.size(width, 844)
    try:
        at.open(f"/games/{game}")
        at.live()
        assert at.find("#zoom").is_displayed()
        assert at.run(UNDER_ZOOM) == []
    finally:
        at.size(1300)


UNDER_ZOOM = """const zoom = document.getElementById("zoom").getBoundingClientRect();
return [...document.querySelectorAll("#board, #course, #players, #beside, #moves, #steps > *")].filter(each => {
  const at = each.getBoundingClientRect();
  const inside = Math.min(zoom.right, at.right) - Math.max(zoom.left, at.left);
  return at.width && inside > 1 && Math.min(zoom.bottom, at.bottom) - Math.max(zoom.top, at.top) > 1;
}).map(each => each.id || each.outerHTML.slice(0, 60))"""

STEP = """const at = document.querySelector("#course svg"), { left, width, top } = at.getBoundingClientRect();
at.dispatchEvent(new MouseEvent("click", { clientX: left + width / 2, clientY: top + 20, bubbles: true }));"""


def test_what_was_played_while_one_was_away_is_shown_again_with_captions(site: Site) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    site.links["away"] = offer_seats(site.service, "zimbabwe", options, "away")
    for move in moves[:26]:
        site.service.play("away", move, by="anna", viewer=Viewer(None))
    at = site.sit("away", "mutapa")
    assert not at.find("#caption").is_displayed(), "nothing was missed yet"
    at.open("/")
    for move in moves[26:29]:
        site.service.play("away", move, by="anna", viewer=Viewer(None))
    at.open("/games/away?as=mutapa")
    at.live()
    at.until_text("#caption", "Lozi places a potter")
    at.until_text("#caption", "3 moves since you looked")
    assert at.text("#where") == "29"


@pytest.mark.parametrize(("name", "step"), [("no-such-mark", "15"), ("1-is-no-number", "15"), ("7", "7"), ("", "15")])
def test_an_address_that_names_no_step_shows_the_head(site: Site, name: str, step: str) -> None:
    at = site.at
    if "named" not in site.links:
        options, moves = demo_line(zimbabwe.GAME)
        site.links["named"] = offer_seats(site.service, "zimbabwe", options, "named")
        for move in moves[:15]:
            site.service.play("named", move, by="anna", viewer=Viewer(None))
    at.open("/")  # the same page with another # would not be read anew
    at.open(f"/games/named#{name}")
    at.live()
    assert at.run(SHOWN) == step


def test_a_name_that_no_step_has_leaves_the_board_where_it_was(site: Site) -> None:
    at = site.sit("zimbabwe", "zulu")
    at.click("#back")
    before = at.run(SHOWN)
    at.run("location.hash = 'no-such-mark'")
    at.until(lambda: at.run("return location.hash") == f"#{before}", "the address names the step again")
    assert at.run(SHOWN) == before


SHOWN = "return document.getElementById('slider').value"


def test_an_error_page_of_a_proxy_stays_out_of_the_page_and_is_asked_again(site: Site) -> None:
    at = site.sit("new", site.service.head("new").to_move[0])
    before = site.service.head("new").commit.number
    at.run(BROKEN, "GET")
    at.type("start a1")
    at.until_text("#link-state", "not connected; trying again")
    assert "Bad Gateway" not in at.text("body")
    assert at.all("#words-of-move"), "what is typed stays"
    at.run("window.fetch = window.healthy")
    at.until(lambda: at.all(".preview .play"), "it is asked again")
    at.until(lambda: at.text("#link-state") == "")
    at.run(BROKEN, "POST")
    at.click(".preview .play")
    at.until_text("#link-state", "not connected; try again")
    assert "Bad Gateway" not in at.text("body")
    at.run("window.fetch = window.healthy")
    at.click(".preview .play")
    at.until(lambda: site.service.head("new").commit.number == before + 1)
    at.until_text("#log", "a1")
    at.until(lambda: at.text("#link-state") == "")


BROKEN = """window.healthy ??= window.fetch;
const page = () => new Response("<h1>502 Bad Gateway</h1>", { status: 502, headers: { "Content-Type": "text/html" } });
window.fetch = (address, options) =>
  (options?.method ?? "GET") === arguments[0] ? Promise.resolve(page()) : window.healthy(address, options);"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_who_is_paid_is_shown_before_a_move_and_slides_after_it_unless_motion_is_reduced(
    site: Site, motion: str
) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    paid = 37  # the first raise that pays another player
    name = f"paid-{motion}"
    site.links[name] = offer_seats(site.service, "zimbabwe", options, name)
    for move in moves[: paid - 1]:
        site.service.play(name, move, by="anna", viewer=Viewer(None))
    at = site.at
    at.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": motion}])
    try:
        site.sit(name, "kilwa")
        at.type(moves[paid - 1].partition(": ")[2])
        at.until(lambda: at.all("#board .ghost"))
        assert {*at.run("return [...document.querySelectorAll('.ghost g > text')].map(each => each.textContent)")} >= {
            "+2"
        }, "an arrow leads to the craftsman who is paid"
        assert at.run(PAYS) == {"kilwa": "▸ −4 cattle", "zulu": "◂ +2 cattle"}, "2 go to a card of Kilwa's own"
        assert at.run("return document.querySelector('#board').lastElementChild.classList.contains('ghost')")
        at.click(".preview .play")
        at.until_number(paid)
        at.until(lambda: not at.run(PAYS))
        at.click("#back")
        figures = {
            f"{seat} {figure}"
            for seat in site.service.head(name).colours
            for index, figure in enumerate(("vp", "vr", "cattle"))
            if len({figures_at(site, f"{name}@{number}", seat)[index] for number in (paid - 1, paid)}) == 2
        }
        assert "kilwa cattle" in figures
        slid = at.run(SLIDING)
        assert {*slid} == ({*figures, "coin 2"} if motion == "no-preference" else set())
    finally:
        at.size(1300)


def test_the_bar_the_board_and_the_text_agree_about_a_raise_and_no_sum_covers_another(site: Site) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    site.links["raise"] = offer_seats(site.service, "zimbabwe", options, "raise")
    for move in moves[:LONG_RAISE]:
        site.service.play("raise", move, by="anna", viewer=Viewer(None))
    seat, _, text = moves[LONG_RAISE].partition(": ")
    at = site.sit("raise", seat)
    at.type(text)
    at.until(lambda: at.all("#board .ghost"))
    assert "-10 cattle, +10 VP" in at.run("return document.querySelector('.ghost').lastElementChild.textContent")
    assert at.text(".playbar strong").endswith("(-10 cattle, +10 VP)")
    assert at.run(PAYS)[seat] == "▸ −10 cattle"
    plates = at.run(PLATES)
    assert len(plates) == 7, "one for each payment to another player"
    apart = [hypot(x - x2, y - y2) - size for (x, y, size), (x2, y2, _) in combinations(plates, 2)]
    assert min(apart) >= 0
    at.size(390, 844)
    try:
        command = at.text(".playbar .play").replace(" :", ":")
        assert command == f"Play: {text.replace('_', ' ')}", "as a screen reader has it"
        assert at.run("return document.querySelector('.playbar .play').getBoundingClientRect().height") < 60
        assert at.run(CUT, ".playbar .play, .playbar strong, .notated-move") == []
        assert at.text(".notated-move") == text
    finally:
        at.size(1300)


LONG_RAISE = 144
"""The move of the demonstration with the longest notation."""

PLATES = """return [...document.querySelectorAll('.ghost g > circle:first-child')].filter(
  each => each.nextElementSibling.textContent.startsWith("+")).map(each => {
  const { left, top, width } = each.getBoundingClientRect();
  return [left + width / 2, top + width / 2, width];
})"""

CUT = """return [...document.querySelectorAll(arguments[0])].filter(each => {
  const { left, right } = each.getBoundingClientRect();
  return each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1 || left < 0 ||
    right > innerWidth;
}).map(each => each.outerHTML.slice(0, 80))"""


def test_a_game_that_is_over_says_how_players_are_ranked_and_offers_to_try_another_turn_at_once(site: Site) -> None:
    play_to_the_end(site)
    at = site.sit("over", "kilwa")
    at.click("#now summary")
    at.until_text("#now details", "the one wins who is furthest above it")
    assert at.run("return document.querySelector('#now details a').getAttribute('href')") == "/rules/zimbabwe#R-END-02"
    at.click("#now summary")
    tops = at.run(
        "return ['#try-it button', '#beside'].map(each => document.querySelector(each).getBoundingClientRect().bottom)"
    )
    assert tops[0] < tops[1], "without scrolling"
    assert at.run("return document.querySelector('#try-it button').disabled"), "the game is over here"
    at.click("#first")
    assert not at.run("return document.querySelector('#try-it button').disabled")
    at.click("#try-it button")
    at.until_text(".own-line", "programs play")
    at.live()
    assert at.text("#seatbar").count("played by strong") == 3
    at.open("/games/over?as=kilwa")
    at.live()
    assert at.run("return document.querySelector('#try-it [name=name]').value") not in at.text("#lines")


def test_the_course_of_a_game_is_drawn_again_for_another_width(site: Site) -> None:
    play_to_the_end(site)
    at = site.sit("over", "kilwa")
    at.until(lambda: at.all("#course svg"))
    try:
        for width in (1920, 1024, 390):
            at.size(width)
            at.until(lambda: at.run(SCALE) == 1, f"at {width} its text has its size")
    finally:
        at.size(1300)


SCALE = """const at = document.querySelector("#course svg");
return Math.round(100 * at.getBoundingClientRect().width / at.viewBox.baseVal.width) / 100"""


def figures_at(site: Site, place: str, seat: str) -> list[int]:
    there = site.service.position(place)
    figures = there.game.display.figures(there.state, seat)
    return [figures[name] for name in ("vp", "vr", "cattle")]


PAYS = """return Object.fromEntries([...document.querySelectorAll("#seatbar .pays")].map(
  each => [each.closest("[data-seat]").dataset.seat, each.textContent]))"""

SLIDING = """document.getElementById("next").click();
return document.getElementById("players").getAnimations({ subtree: true }).map(each => {
  const place = each.effect.target, seat = place.closest("[data-seat]")?.dataset.seat;
  return seat ? `${seat} ${["vp", "vr", "cattle"][place.dataset.figure]}` : `${place.className} ${place.textContent}`;
});"""
