"""`import zimcore as zim` is small, listed and lazy, and shows no viewer what is hidden from them."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path
from random import Random

import pytest

import zimcore as zim
from tests import nim
from zimcore.bots.bot import Choice, View
from zimcore.game import Game
from zimcore.games import registry
from zimcore.service.records.discussion import HelpAgreed
from zimcore.service.records.scripts import first_position

MAX_NAMES = 45
"""Names that the library may have."""
METHODS_OF_STORE = (
    "amend analyse ask at audit bisect bot certificate close compare curve export follow forget fork frames games goto"
    " hint import_ lines log look new pick play redo rename say service story switch tag tags talk try_ undo untag"
    " value verify whatif why"
)
"""All that a store offers. Whoever adds or removes a name writes a line in the changelog."""
NAMES = (
    "Commit ConflictError EVERYTHING ExpressionError Frame GameError HiddenError LegalMoves Match NotationError"
    " OptionError Outcome Position Refused RefusedError SPECTATOR Store StoreError Table TakenError Trial UnknownError"
    " Viewer arena bisect draw game open parse sweep why"
)


def test_public_names_are_pinned() -> None:
    assert sorted(zim.__all__) == NAMES.split()
    assert sorted(name for name in vars(zim.Store) if not name.startswith("_")) == METHODS_OF_STORE.split()


def test_the_library_is_small_and_explains_each_name() -> None:
    assert len(zim.__all__) <= MAX_NAMES
    for name in zim.__all__:
        public_object = getattr(zim, name)
        assert public_object.__doc__, name
        assert (
            name == name.upper() or name == "game" or public_object.__module__.startswith(("zimcore.", "event_store."))
        ), name
    with pytest.raises(AttributeError, match="no attribute 'opn'"):
        zim.opn  # noqa: B018


def test_the_library_loads_nothing_before_it_is_used() -> None:
    code = "import sys, zimcore; print(*(name for name in sys.modules if name.startswith(('zimcore.', 'msgspec'))))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "\n"


@pytest.fixture
def store() -> zim.Store:
    store = zim.open("memory:")
    store.new("africana", name="cairo", players=2, seed=7)
    return store


def test_a_printed_position_has_place_status_board_and_standings(store: zim.Store) -> None:
    store.new("zimbabwe", name="k", players=2, seed=7)
    position = store.look("k")
    printed_lines = str(position).splitlines()
    assert printed_lines[0] == f"k/main @0 · {position.status}"
    assert position.board
    assert printed_lines[1].split() == [*position.board.columns]
    assert [line.split()[0] for line in printed_lines[2 : 2 + len(position.board.rows)]] == [*position.board.rows]
    assert position.tables[0].title in printed_lines


def test_nothing_hidden_is_printed_drawn_or_framed_for_another_seat(store: zim.Store) -> None:
    seat, other_seat = store.look("cairo").seats
    other_view = store.at(other_seat)
    full_view = store.at(zim.EVERYTHING)
    hand = full_view.look("cairo/main").state.hands[seat]
    redealt_lines = [other_view.fork("cairo/main", f"deal-{number}", redeal=True).line for number in range(30)]
    line = next(
        redealt_line
        for redealt_line in redealt_lines
        if full_view.look(f"cairo/{redealt_line}").state.hands[seat] != hand
    )
    original_position, redealt_position = other_view.look("cairo/main"), other_view.look(f"cairo/{line}")

    def texts_shown(position: zim.Position) -> list[str]:
        tables = [table._repr_html_() for table in position.tables]
        return [str(position).partition("·")[2], *tables, *map(str, position.tables)]

    assert texts_shown(original_position) == texts_shown(redealt_position), "only what the seat can't see differs"
    assert original_position._repr_svg_() == zim.draw(original_position)
    assert texts_shown(full_view.look("cairo/main")) != texts_shown(full_view.look(f"cairo/{line}")), "it would be seen"
    assert "?" in str(original_position.state.hands[seat])
    assert "?" not in str(original_position.state.hands[other_seat])


def test_follow_yields_moves_and_undone_moves(store: zim.Store) -> None:
    store.play("cairo", "draw")
    store.service.undo("cairo", by="ann", viewer=zim.EVERYTHING)
    updates = list(store.follow("cairo", patience=0))
    assert [update.is_commit for update in updates] == [True, True, False]
    assert [update.position.commit.number for update in updates] == [0, 1, 0]
    assert list(store.follow("cairo", after=updates[-1].revision, patience=0)) == []


def test_frames_go_into_duckdb_and_are_shown_in_a_notebook(store: zim.Store) -> None:
    duckdb = pytest.importorskip("duckdb")
    commits = store.frames("cairo")["commits"]
    rows = duckdb.sql("SELECT game, count(*) FROM commits GROUP BY game").fetchall()
    assert rows == [("cairo", commits.height)]
    assert "<th>game</th>" in commits._repr_html_()
    assert "<td>cairo</td>" in commits._repr_html_()
    assert repr(commits).startswith("<1 row of game, line")
    assert {*store.frames()} == {"games", "commits", "events", "payments", "standings", "chances"}


def test_a_notebook_draws_the_curve_of_the_chances(store: zim.Store) -> None:
    store.new("zimbabwe", name="k", players=2, seed=7)
    for _ in range(6):
        position = store.look("k")
        store.play("k", next(iter(position.legal().texts())))
    curve = store.curve("k")
    assert [point.number for point in curve.points] == sorted({point.number for point in curve.points})
    assert sum(curve.points[-1].chances.values()) == pytest.approx(1)
    assert curve._repr_svg_().count('stroke-width="3"') == 2
    store.service.new("zimbabwe", {"seed": "7"}, name="alone", by="ann", agreed=[HelpAgreed(helps=False)])
    with pytest.raises(zim.GameError, match="help is off"):
        store.curve("alone")


def test_a_seat_plays_for_itself_alone(store: zim.Store) -> None:
    first_seat, second_seat = store.look("cairo").seats
    mover = store.look("cairo").mover
    waiting_store = store.at(second_seat if mover == first_seat else first_seat)
    with pytest.raises(zim.GameError):
        waiting_store.play("cairo", f"{mover}: draw")
    assert store.at(mover).play("cairo", "draw").commit.number == 1


def test_a_table_is_escaped_in_a_notebook() -> None:
    assert "<b>" not in zim.Table("<b>", ("<b>",), (("<b>",),))._repr_html_()


def test_a_bot_asked_twice_with_an_id_plays_once_and_until_an_expression_is_true() -> None:
    store = zim.open("memory:")
    store.new("zimbabwe", name="k", players=2, seed=7)
    store.fork("k", "other")
    played = store.bot("k", "random", until="round == 2", id="c1")
    assert store.value(f"{played[-1].place}@{played[-1].commit.digest}", "round") == 2
    store.switch("k/other")
    store.undo("k/main", 2)
    assert [each.commit for each in store.bot("k", "random", until="round == 2", id="c1")] == [
        each.commit for each in played
    ]
    assert len(store.log("k/main")) == len(played) - 1


class First:
    """A bot that plays the first legal command."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        del nodes, rng
        return Choice(next(iter(view.game.rules.legal(view.state, view.seat))))


def test_a_bot_of_your_own_is_named_by_its_class() -> None:
    assert [each.bot for each in zim.arena(First, "random", games=2, players=2, workers=0).standings]
    store = zim.open()
    store.new("zimbabwe", name="k", players=2, seed=7)
    assert store.bot("k", First)[0].commit.by.startswith("bot tests.test_library.First")
    for bots in ({"mutapa": "random"}, "mutapa:random"):
        assert store.new("zimbabwe", players=2, seed=7, bots=bots).commit.number == 1


def test_what_a_newcomer_tries_is_understood_or_named(tmp_path: Path) -> None:
    with zim.open(tmp_path / "games.db") as store:
        assert (
            repr(store.new("zimbabwe", name="k", players=2, seed=7))
            == "<k/main @0: set-up · Mutapa to place the first monument>"
        )
        assert repr(store) == f"<the store sqlite:///{tmp_path}/games.db>"
        assert repr(store.play("k", "start f6").commit) == "<1 mutapa: start f6>"
        store.undo("k")
        assert [each.text for each in store.log("k", all=True)[1:]] == ["start f6"]
        with pytest.raises(zim.UnknownError, match="there is no seat 'nobody' in k"):
            store.at("nobody").look("k")
        with pytest.raises(zim.GameError, match=r"not a place: b'x{78}: a place is a text"):
            store.look(b"x" * 9000)  # type: ignore[arg-type]
        with pytest.raises(zim.GameError, match="keep=none: it says what to keep"):
            store.amend("k@1", "start f3", keep="none")  # type: ignore[arg-type]
        (tmp_path / "k.log").write_text("new players=2 seed=7\nstart f6\n")
        assert store.audit(tmp_path / "k.log").logs[0].stands
        (tmp_path / "k.cert").write_bytes(store.certificate("k"))
        with pytest.raises(zim.NotationError) as error_info:
            store.audit(tmp_path / "k.cert")
        assert error_info.value.hints == ("zim verify FILE", "zim import FILE")
        assert zim.open().import_(tmp_path / "k.cert").position
        assert store.look("k").tables[0].frame().columns["VP"] == [0, 0]
        assert zim.sweep(store.look("k"), ["kilwa.vp"])[0].values == (0,)
        assert zim.bisect(store.look("k").game, store.log("k"), "kilwa.vp > 0").first is None
    with pytest.raises(zim.StoreError, match=r"games.db is closed: open it again"):
        store.games()
    match = zim.game("zimbabwe", players=2, seed=7)
    assert match.legal.count() == len(match.legal)
    assert zim.draw(match) == zim.draw(match.position)
    with pytest.raises(zim.UnknownError, match="there is no seat 'nobody'"):
        match.at("nobody")


@pytest.mark.parametrize("game", [*map(registry.game, registry.GAMES), nim.GAME], ids=lambda game: game.name)
def test_legal_moves_can_be_asked_for_by_text(game: Game) -> None:
    legal = first_position(game, {"seed": "7"}).legal()
    texts = list(islice(legal.texts(), 5))
    assert texts
    assert all(text in legal for text in texts)
    assert not any(text in legal for text in ("", "nonsense", f"{texts[0]} twice"))
