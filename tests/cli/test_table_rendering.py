"""Tables: plain ones are stable and never cut; tables on a terminal have the same content."""

import io
from random import Random

import pytest
from rich.console import Console

from event_store import EventStore
from zimcli.output.output import Output
from zimcli.render.spans import line_text
from zimcli.render.tables import plain_table, rich_table
from zimcli.table.panes import standings_pane
from zimcli.table.text import table_lines
from zimcore.game import Table
from zimcore.service import GameService
from zimcore.service.lines.visibility import EVERYTHING

LONG_TEXT = (
    "a very long name that no terminal of eighty columns would ever have the room for, not even alone in its line"
)
TABLE = Table("Standings", ("empire", "VP", "god"), (("kilwa", "7", "-"), ("zulu", "12", LONG_TEXT)), ("kilwa", "zulu"))


def test_plain_table() -> None:
    assert [line_text(line) for line in plain_table(TABLE)] == [
        "Standings",
        "  empire  VP  god",
        "  kilwa    7  -",
        f"  zulu    12  {LONG_TEXT}",
    ]


def test_plain_table_without_rows() -> None:
    assert [line_text(line) for line in plain_table(Table("", ("a", "b"), ()))] == ["  a  b"]


def test_on_a_terminal_a_long_cell_is_wrapped_not_cut() -> None:
    stream = io.StringIO()
    Console(file=stream, width=60, force_terminal=True).print(rich_table(TABLE, {"kilwa": "red"}, False, 60))
    words = stream.getvalue().split()
    assert set(LONG_TEXT.split()) <= set(words)


def test_table_on_a_terminal_in_ascii() -> None:
    stream = io.StringIO()
    Console(file=stream, width=200, force_terminal=True, color_system=None).print(rich_table(TABLE, {}, True, 200))
    assert stream.getvalue().isascii()


def test_an_encoding_without_glyphs_gets_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    assert Output().plain_ascii(stream)
    assert not Output().plain_ascii(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))


def test_in_a_pane_no_word_of_a_cell_is_broken() -> None:
    """Where a cell takes several lines each is as wide as its longest word."""
    table = Table("", ("card", "from", "to"), (("A10", "Port Mozambique", "Serengeti"),))
    lines = [line_text(line).split() for line in table_lines(table, {}, 25, keeps_columns=False)]
    assert lines == [["card", "from", "to"], ["A10", "Port", "Serengeti"], ["Mozambique"]]


@pytest.mark.parametrize(("kind", "head"), [("zimbabwe", "god"), ("africana", "markers")])
@pytest.mark.parametrize("players", ["2", "4"])
def test_standings_keep_gods_and_markers_at_100_columns(kind: str, head: str, players: str) -> None:
    """Their pane has 43 columns there. Each player has one line."""
    for seed in range(4):
        service, rng = GameService(EventStore.open("memory:")), Random(seed)
        position = service.new(kind, {"players": players, "seed": str(seed)}, name="k", by="anna")
        for number in range(40):
            command = position.legal().sample(rng)
            assert command is not None
            service.play("k", position.game.notation.format(command), by="anna", viewer=EVERYTHING)
            position = service.position("k", EVERYTHING)
            if number % 8 == 0:
                rows = [line_text(row.line) for row in standings_pane(position, 43).rows]
                assert head in rows[0]
                assert len(rows) == 1 + int(players)
                assert max(map(len, rows)) <= 43
