"""The page of a replay, in a real browser: it opens at a link, and keys, the slider and the log move through it."""

import html
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner

from tests.cli.herd import GAME as HERD
from tests.cli.herd import State
from tests.timeouts import PATIENCE
from zimcli.main import cli
from zimcore.commits import Position
from zimcore.history.replay_states import states_after_commits
from zimcore.picture.replay import DrawingParts, drawing_parts, replay_page
from zimcore.picture.sheet import draw_picture
from zimcore.service import TABLE, GameService, Viewer, open_service
from zimcore.toolkit.printable import printable

GAME = ("new kilwa-7 players=2 seed=1", "start f4", "start a3", "bid 1", "pass", "adore eshu", "end")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay")
    store, file = f"sqlite:///{folder / 'games.db'}", folder / "kilwa-7.html"
    script = CliRunner().invoke(cli, ["--store", store, "run", "-"], input="\n".join(GAME))
    assert script.exit_code == 0, script.stderr
    answer = CliRunner().invoke(cli, ["--store", store, "replay", "kilwa-7", "--html", str(file)])
    assert (answer.exit_code, answer.stdout) == (0, f"written: {file}\n")
    return file


@pytest.fixture(scope="module")
def browser(find_program: Callable[..., str]) -> str:
    return find_program("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")


def page_after(browser: str, page: Path, link: str, script: str = "") -> str:
    """The DOM of the page after it was opened at a link and a script has run in it."""
    file = page.with_name("done.html")
    file.write_text(
        page.read_text("utf-8").replace("</body>", f"<script>{POINTER_SCRIPT}{script}</script></body>"), "utf-8"
    )
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--allow-file-access-from-files", "--window-size=1400,900", f"file://{file}{link}"]
    return html.unescape(subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout)


def status_text(dom: str) -> str:
    match = re.search(r'id="status"[^>]*>([^<]*)<', dom)
    return match[1].partition(" · ")[0] if match else ""


POINTER_SCRIPT = """function pointAt(selector, kind, part) {
  const found = document.querySelector(selector), box = found.getBoundingClientRect();
  const at = { clientX: box.left + box.width * part, clientY: box.top + box.height / 2, bubbles: true };
  found.dispatchEvent(new PointerEvent(kind, at));
}
"""


def key_press(name: str) -> str:
    return f'dispatchEvent(new KeyboardEvent("keydown", {{ key: "{name}" }}));'


def test_the_page_needs_no_other_file(page: Path) -> None:
    assert not re.search(r"(src|href)=\"(?!#)|@import|url\((?!#)|fetch\(", page.read_text("utf-8"))


@pytest.mark.parametrize(
    ("link", "script", "number"),
    [
        ("", "", 0),
        ("#3", "", 3),
        ("#r1", "", 2),
        ("#99", "", 6),
        ("#<b>", "", 0),
        ("#3", key_press("ArrowRight"), 4),
        ("#3", key_press("ArrowLeft") * 9, 0),
        ("", key_press("End"), 6),
        ("#6", key_press("ArrowUp"), 2),
        ("", 'const s = $("slider"); s.value = 5; s.dispatchEvent(new Event("input"));', 5),
        ("#1", '$("next").click(); $("next").click();', 3),
        ("", 'pointAt("figure svg", "click", 0.5);', 3),
        ("", 'pointAt("figure svg", "click", 1);', 6),
    ],
)
def test_keys_links_and_clicks_move_through_the_replay(
    browser: str, page: Path, link: str, script: str, number: int
) -> None:
    dom = page_after(browser, page, link, script)
    assert status_text(dom) == f"after move {number} of 6"
    assert f'href="#{number}" aria-current="step"' in dom
    assert dom.count('aria-current="step"') == 1


def test_the_page_shows_board_log_and_tables(browser: str, page: Path) -> None:
    dom = page_after(browser, page, "#5")
    assert dom.count("<ellipse") >= 4, "two monuments"
    assert "adores Eshu" in dom
    assert re.search(r"<td[^>]*>.*kilwa</td>", dom)


def test_move_0_is_described_in_few_words(browser: str, page: Path) -> None:
    dom = page_after(browser, page, "")
    [first_entry] = re.findall(r'<a href="#0".*?</a>', dom, re.DOTALL)
    text = re.sub(r"<[^>]*>|\s+", " ", re.sub(r'title="[^"]*"', "", first_entry))
    assert "the game is set up" in text
    assert len(text) < 80


def test_a_graph_of_each_figure_shows_the_values_of_all_seats(browser: str, page: Path) -> None:
    dom = page_after(browser, page, "#5", 'pointAt("figure:nth-child(2) svg", "pointermove", 0.84);')
    assert re.findall(r"<figcaption>(\w+) \(", dom) == ["VP", "VR", "cattle"]
    assert dom.count('class="over"') == 6, "three figures of two players"
    assert re.search(r'id="tip"[^>]*>after move 5: VR\nkilwa 20\nmutapa 24<', dom)


def test_the_tip_names_the_piece_under_the_pointer(browser: str, page: Path) -> None:
    dom = page_after(
        browser,
        page,
        "#5",
        """const tower = document.querySelector("#board ellipse").closest("[data-part]");
        const box = tower.getBoundingClientRect();
        tower.dispatchEvent(new PointerEvent("pointermove", { bubbles: true,
          clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }));""",
    )
    assert re.search(r'id="tip"[^>]*>(a3|f4) · monument of level 1 of \w+ · as it is since move [12]<', dom)


def test_zoom_keeps_within_the_board_and_goes_back(browser: str, page: Path) -> None:
    def view_box(script: str) -> list[float]:
        match = re.search(r'<svg id="board"[^>]*viewBox="([^"]*)"', page_after(browser, page, "", script))
        return [float(number) for number in match[1].split()] if match else []

    left, top, width, height = view_box("")
    closer_box = view_box(key_press("+") * 3)
    assert closer_box[2] == pytest.approx(width / 1.5**3)
    assert left < closer_box[0] < closer_box[0] + closer_box[2] < left + width
    assert view_box(key_press("+") * 3 + key_press("0")) == view_box(key_press("-") * 3) == [left, top, width, height]


@pytest.mark.parametrize("width", [360, 500, 700, 1000, 1400, 1920, 2560])
def test_nothing_is_wider_than_the_window(browser: str, page: Path, width: int) -> None:
    measuring_script = """
        const all = [...document.querySelectorAll("body, body *")].filter(each => !each.closest("svg"));
        const beyond = all.filter(each => each.getBoundingClientRect().right > innerWidth + 0.5);
        const within = ["how", "moves", "log"].map($).filter(each => each.scrollWidth > each.clientWidth);
        parent.document.body.dataset.wide = [innerWidth, ...beyond, ...within].join(" ");"""
    inner_page, outer_page = page.with_name("inner.html"), page.with_name("outer.html")
    inner_page.write_text(
        page.read_text("utf-8").replace("</body>", f"<script>{measuring_script}</script></body>"), "utf-8"
    )
    # in a frame, as a window of a browser is at least 500 pixels wide
    frame = f'<iframe src="inner.html#5" style="border: 0; width: {width}px; height: 900px"></iframe>'
    outer_page.write_text(f"<body>{frame}</body>", "utf-8")
    assert f'data-wide="{width}"' in page_after(browser, outer_page, "")


def test_a_game_without_a_board_shows_its_tables_alone(
    browser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HERD.display, "board", lambda _: None)
    commit = open_service("memory:").new("zimbabwe", {"players": "2", "seed": "1"}, name="m", by="anna").commit
    state = State(3, 2, 0, {"kilwa": 1, "zulu": 0}, {"a1": "kilwa"})
    file = tmp_path / "boardless.html"
    file.write_text(replay_page([Position("m", "main", commit, state, HERD)]), "utf-8")
    dom = page_after(browser, file, "")
    assert re.search(r"<main><div id=\"tables\"><table><caption>Standings</caption>", dom)
    assert "<svg" not in dom.partition("<script")[0]


def match_of_first_moves(kind: str, moves: int) -> GameService:
    """A match called m of so many moves: each is the first legal command."""
    service = open_service("memory:")
    position = service.new(kind, {"players": "2", "seed": "4"}, name="m", by="anna", viewer=Viewer(None))
    for _ in range(moves):
        text = next(iter(position.legal().texts()))
        position = service.play("m", f"{position.to_move[0]}: {text}", by="anna", viewer=Viewer(None))  # type: ignore[assignment]
    return service


@pytest.mark.parametrize("viewer", [Viewer(None), TABLE, Viewer("italy")], ids=str)
def test_folding_redacted_events_gives_all_that_a_viewer_knows(viewer: Viewer) -> None:
    service = match_of_first_moves("africana", 60)
    evolution = service.position("m", viewer).game.evolution
    for commit, state in states_after_commits(service.position("m").game, service.log("m", viewer=viewer)):
        expected = service.position(f"m@{commit.digest}", viewer).state
        assert evolution.canonical(state) == evolution.canonical(expected), commit.number


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_stored_parts_equal_newly_drawn_ones(kind: str) -> None:
    service, parts = match_of_first_moves(kind, 40), DrawingParts()
    for commit in service.log("m"):
        position = service.position(f"m@{commit.digest}")
        board, art, new_parts = position.board, position.game.art, DrawingParts()
        assert board
        assert art
        for part in drawing_parts(position, board, position.colours):
            assert parts.drawings[parts.part_number(part, art)] == new_parts.drawings[new_parts.part_number(part, art)]
    assert 0 < len(parts.drawings) < 40 * len(new_parts.drawings) / 4


HOSTILE_TITLES = [
    "<!--<script>",
    "</script><script>alert(1)</script>",
    "]]>",
    "{{game}}{{title}}",
    "\u2028\x1b[2J\u202e",
    "&lt;'\"",
]


@pytest.mark.parametrize("title", HOSTILE_TITLES)
def test_a_title_swallows_no_script_of_the_page(title: str) -> None:
    with open_service("memory:").store as store:
        service = GameService(store, games={"herd": "tests.cli.herd:GAME"})
        position = service.new("herd", {"seed": "7"}, by="ann")
        page = replay_page([msgspec.structs.replace(position, match=title)])
    (data,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', page, re.DOTALL)
    assert not set(data) & set("<>&\u2028\u2029")
    assert json.loads(data)["title"] == printable(f"{position.game.title} · {title} main")
    assert page.count("<script") == page.count("</script>") == 2
    assert "<!--" not in page
    titles = re.findall(r"<title>(.*?)</title>", page, re.DOTALL)
    assert [html.unescape(page_title) for page_title in titles] == [printable(f"{position.game.title} · {title} main")]


@pytest.mark.parametrize("title", HOSTILE_TITLES)
def test_a_picture_with_any_title_is_xml(title: str) -> None:
    with open_service("memory:").store as store:
        service = GameService(store, games={"herd": "tests.cli.herd:GAME"})
        position = msgspec.structs.replace(service.new("herd", {"seed": "7"}, by="ann"), match=title)
        root = ElementTree.fromstring(draw_picture(position))
    texts = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    assert any(text.startswith(f"{printable(title)} · main") for text in texts)
