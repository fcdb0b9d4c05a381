"""`import zimcore as zim` is small, listed and lazy, and shows no viewer what is hidden from them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import zimcore as zim
from zimcore.service.discussion import HelpAgreed

CHANGELOG = (Path(__file__).parent.parent / "docs" / "changelog.md").read_text("utf-8")
MOST = 25
"""Names that the library may have."""


def public_names(changelog: str) -> set[str]:
    """The names that the changelog lists as public."""
    (part,) = re.findall(r"### Library\n(.*?)\n\n", changelog, re.DOTALL)
    return set(re.findall(r"`(\w+)`", part))


def test_what_is_public_is_listed_in_the_changelog() -> None:
    methods = {name for name in vars(zim.Store) if not name.startswith("_")}
    assert public_names(CHANGELOG) == {*zim.__all__, *methods, "Store"}
    assert public_names("### Library\n- `draw`,\n  `open`.\n\n## Other\n`x`\n\n") == {"draw", "open"}


def test_it_is_small_and_each_name_is_explained() -> None:
    assert len(zim.__all__) <= MOST
    for name in zim.__all__:
        thing = getattr(zim, name)
        assert thing.__doc__, name
        assert name == name.upper() or thing.__module__.startswith(("zimcore.", "event_store.")), name
    with pytest.raises(AttributeError, match="no attribute 'opn'"):
        zim.opn  # noqa: B018


def test_it_loads_nothing_before_it_is_used() -> None:
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
    here = store.look("k")
    text = str(here).splitlines()
    assert text[0] == f"k/main @0 · {here.status}"
    assert here.board
    assert text[1].split() == [*here.board.columns]
    assert [line.split()[0] for line in text[2 : 2 + len(here.board.rows)]] == [*here.board.rows]
    assert here.tables[0].title in text


def test_nothing_hidden_is_printed_drawn_or_framed_for_another_seat(store: zim.Store) -> None:
    seat, other = store.look("cairo").seats
    own = store.at(other)
    everything = store.at(zim.EVERYTHING)
    hand = everything.look("cairo/main").state.hands[seat]
    deals = [own.fork("cairo/main", f"deal-{at}", redeal=True).line for at in range(30)]
    line = next(each for each in deals if everything.look(f"cairo/{each}").state.hands[seat] != hand)
    one, again = own.look("cairo/main"), own.look(f"cairo/{line}")

    def texts_shown(position: zim.Position) -> list[str]:
        tables = [table._repr_html_() for table in position.tables]
        return [str(position).partition("·")[2], *tables, *map(str, position.tables)]

    assert texts_shown(one) == texts_shown(again), "only what the seat can't see differs"
    assert one._repr_svg_() == zim.draw(one)
    assert texts_shown(everything.look("cairo/main")) != texts_shown(everything.look(f"cairo/{line}")), (
        "it would be seen"
    )
    assert "?" in str(one.state.hands[seat])
    assert "?" not in str(one.state.hands[other])


def test_follow_yields_moves_and_undone_moves(store: zim.Store) -> None:
    store.play("cairo", "draw")
    store.service.undo("cairo", by="ann", viewer=zim.EVERYTHING)
    moves = list(store.follow("cairo", patience=0))
    assert [news.is_commit for news in moves] == [True, True, False]
    assert [news.position.commit.number for news in moves] == [0, 1, 0]
    assert list(store.follow("cairo", after=moves[-1].revision, patience=0)) == []


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
        here = store.look("k")
        store.play("k", next(iter(here.legal().texts())))
    curve = store.curve("k")
    assert [point.number for point in curve.points] == sorted({point.number for point in curve.points})
    assert sum(curve.points[-1].chances.values()) == pytest.approx(1)
    assert curve._repr_svg_().count('stroke-width="3"') == 2
    store.service.new("zimbabwe", {"seed": "7"}, name="alone", by="ann", agreed=[HelpAgreed(helps=False)])
    with pytest.raises(zim.GameError, match="help is off"):
        store.curve("alone")


def test_a_seat_plays_for_itself_alone(store: zim.Store) -> None:
    first, second = store.look("cairo").seats
    mover = store.look("cairo").mover
    waiting = store.at(second if mover == first else first)
    with pytest.raises(zim.GameError):
        waiting.play("cairo", f"{mover}: draw")
    assert store.at(mover).play("cairo", "draw").commit.number == 1


def test_a_table_is_escaped_in_a_notebook() -> None:
    assert "<b>" not in zim.Table("<b>", ("<b>",), (("<b>",),))._repr_html_()
