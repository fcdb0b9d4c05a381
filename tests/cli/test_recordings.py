"""`audit` and `import` of games saved from another site, found by what is in the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim
from tests.zimbabwe.test_recordings import FOLDER, data_of, pack
from zimcore.games.registry import GAMES
from zimcore.service import GameService

PAGE, ROW = str(FOLDER / "g01-2p.page.html"), str(FOLDER / "g11-4p-rewind-kickout.row.json")
LOWERED = str(FOLDER / "d1-dziva-lowers-after-crafting.gamedata.txt")


@pytest.fixture
def zim() -> Iterator[Zim]:
    """A terminal on a new store, with our games."""
    with EventStore.open("memory:") as store:
        yield make_zim(GameService(store, games=GAMES))


def test_a_saved_page_is_audited_and_imported(zim: Zim) -> None:
    audit = zim("audit", PAGE)
    assert (audit.exit_code, audit.stderr) == (0, "")
    summary = "onlineboardgamers.com: read to entry 137 of 137, 90 legal · round 12 · Lozi (ann) has won"
    assert audit.stdout == f"{PAGE} · {summary}\n"
    assert zim("import", PAGE).exit_code == 0
    moves = json.loads(zim("log", "g01-2p", "--json").stdout)["commits"]
    script = (FOLDER / "g01-2p.zim").read_text("utf-8").splitlines()[1:]
    assert [f"{move['seat']}: {move['text']}" for move in moves[1:]] == script
    assert zim("verify", "g01-2p").exit_code == 0
    shown = zim("show", "g01-2p@obg/57").stdout
    assert "by ben, 2025-11-26 18:22" in shown
    assert "raise h7 potter@i10/h8" in shown
    assert zim("import", PAGE).stdout.startswith("g01-2p main @90"), "it is there already"
    assert "https://www.onlineboardgamers.com/TGZ/9102/replay/N shows" in zim("talk", "g01-2p").stdout
    assert [zim("show", f"g01-2p@obg/{number}").exit_code for number in (0, 1, 137, 150, 900)] == [2, 0, 0, 2, 2]


def test_the_chat_comes_along_and_another_name_can_be_given(zim: Zim) -> None:
    assert zim("import", ROW, "--as", "mine").exit_code == 0
    assert "good luck" in zim("talk", "mine").stdout
    assert "2025-11-27" in zim("talk", "mine").stdout


def test_an_audit_names_what_the_site_says_wrongly(zim: Zim, tmp_path: Path) -> None:
    value = data_of("g01-2p.old-lz.txt")
    value[7][14][3][0][2] = 9
    file = tmp_path / "wrong.txt"
    file.write_text(pack(value))
    audit = zim("audit", str(file))
    assert audit.exit_code == 1
    assert "wrong note: it says 9, and the result is 2" in audit.stdout
    assert "1 note disagrees with the moves" in audit.stderr
    imported = zim("import", str(file))
    assert (imported.exit_code, "1 statement of the site" in imported.stderr) == (0, True)


def test_a_game_that_deviates_is_read_up_to_there(zim: Zim) -> None:
    audit = zim("audit", LOWERED)
    assert audit.exit_code == 1
    assert "read to entry 19 of 23" in audit.stdout
    assert "R-PRI-01  the price of the wood_carver is 3 and can't be lowered" in audit.stdout
    deviation = "   20 the site plays otherwise: dziva_crafting=any-price: After placing craftsmen, Dziva's adorer may"
    assert deviation in audit.stdout
    assert f"try: zim audit {LOWERED} --house-rules obg" in audit.stderr
    by_sheet = zim("audit", LOWERED, "--house-rules", "obg")
    assert (by_sheet.exit_code, "read to entry 23 of 23" in by_sheet.stdout, deviation in by_sheet.stdout) == (
        0,
        True,
        True,
    )
    imported = zim("import", LOWERED, "--as", "part")
    assert imported.exit_code == 0
    assert "part is read up to obg/19 of 23: price wood_carver 1: the price" in imported.stderr
    assert zim("import", LOWERED, "--as", "whole", "--house-rules", "obg").stdout.startswith("whole main @12")


def test_a_folder_is_its_files(zim: Zim, tmp_path: Path) -> None:
    for file in (PAGE, ROW):
        copy(file, tmp_path)
    (tmp_path / "notes.txt").write_text("no game")
    imported = zim("import", str(tmp_path))
    assert imported.exit_code == 0
    assert "no saved game in notes.txt" in imported.stderr
    assert [line.split()[0] for line in zim("games").stdout.splitlines()[1:]] == ["g01-2p", "g11-4p-rewind-kickout"]
    audit = zim("audit", str(tmp_path))
    assert (audit.exit_code, audit.stdout.count("0 legal"), "notes.txt · not read" in audit.stdout) == (2, 1, True)


def test_a_folder_without_games_is_an_error(zim: Zim, tmp_path: Path) -> None:
    for message in ("a folder to read has 1 to 10,000 files, this has 0", "it has no game that Zim can read"):
        refusal = zim("import", str(tmp_path))
        assert (refusal.exit_code, message in refusal.stderr) == (2, True), refusal.output
        (tmp_path / "notes.txt").write_text("no game")


def test_a_history_copied_as_text_is_compared_with_a_game(zim: Zim, tmp_path: Path) -> None:
    history = (FOLDER / "g01-2p.log.txt").read_text("utf-8")
    refusal = zim("audit", str(FOLDER / "g01-2p.log.txt"))
    assert (refusal.exit_code, "it lacks the map, the gods in play, all prices" in refusal.stderr) == (2, True)
    zim("import", PAGE)
    newest_first = "\n\n".join(reversed(history.split("\n\n")))
    file = tmp_path / "history.txt"
    for text in (history, newest_first):
        file.write_text(text)
        audit = zim("audit", str(file), "--from", "g01-2p")
        assert (audit.exit_code, "compared with the game" in audit.stdout) == (0, True), audit.output
    file.write_text(history.replace("ann builds a monument at co-ordinates (9, 3)", "ann bids 3 cows"))
    audit = zim("audit", str(file), "--from", "g01-2p")
    assert audit.exit_code == 1
    assert "it says bids ann 3, and the game has monument ann i3" in audit.stdout
    zim("import", str(FOLDER / "g10-3p-resign.page.html"))
    pdf = zim("audit", str(FOLDER / "g10-3p-resign.pdf.txt"), "--from", "g10-3p-resign")
    assert pdf.exit_code == 0, pdf.output


def test_saved_games_are_counted_once_each_by_what_players_had(zim: Zim) -> None:
    counted = zim("stats", "--all", str(FOLDER), "--house-rules", "obg")
    assert counted.exit_code == 0
    assert counted.stdout.startswith("7 finished games\n"), "each is there in several forms"
    tables = json.loads(zim("stats", "--all", str(FOLDER), "--house-rules", "obg", "--json").stdout)["stats"]
    assert [table["title"] for table in tables] == [
        *("By seat", "By god", "By specialists"),
        *("Rounds", "Margin of the winner"),
    ]
    assert sum(int(row[2]) for row in tables[0]["rows"]) == 7, "every game has one winner"
    assert sum(int(row[1]) for row in tables[1]["rows"]) == sum(int(row[1]) for row in tables[0]["rows"])
    assert zim("stats", "--all").stdout.startswith("0 finished games")
    zim("import", PAGE)
    assert zim("stats", "--all").stdout.startswith("1 finished game\n")
    assert (zim("stats", "g01-2p", "x").exit_code, zim("stats", "g01-2p").exit_code) == (2, 0)


def test_a_replay_page_has_the_address_of_each_turn_on_its_site(zim: Zim, tmp_path: Path) -> None:
    zim("import", str(FOLDER / "g10-3p-resign.page.html"))
    page_file = tmp_path / "game.html"
    assert zim("replay", "g10-3p-resign", "--html", str(page_file)).exit_code == 0
    page = page_file.read_text("utf-8")
    game = json.loads(page.partition('<script type="application/json" id="game">')[2].partition("</script>")[0])
    links = [step.get("link", "") for step in game["steps"]]
    assert links[0] == "https://www.onlineboardgamers.com/TGZ/9203/replay/1"
    assert links == sorted(links, key=lambda link: int(link.rpartition("/")[2]))
    assert any("ben (mapungubwe) has resigned" in fact for step in game["steps"] for fact in step["facts"])


def test_no_player_can_write_the_address_of_a_site(zim: Zim, tmp_path: Path) -> None:
    """The address comes from the import only: not from a remark with its words, even under the import's id."""
    sentence, page = "https://evil.example/a/N shows there what @obg/N shows here", str(tmp_path / "game.html")
    value = data_of("g01-2p.old-lz.txt")
    bare = tmp_path / "bare.txt"
    bare.write_text(pack(value))
    assert zim("import", str(bare), "--as", "bare").exit_code == 0
    assert zim("import", PAGE).exit_code == 0
    for game in ("bare", "g01-2p"):
        assert zim("say", game, sentence).exit_code == 0
        assert zim("say", game, sentence, "--id", "recorded/address").exit_code == 0
        assert zim("replay", game, "--html", page, "--force").exit_code == 0
        text = Path(page).read_text("utf-8")
        assert "evil.example" not in text
        assert ("https://www.onlineboardgamers.com/TGZ/9102/replay/1" in text) == (game == "g01-2p")


def test_orders_and_what_is_left_are_names_in_expressions(zim: Zim) -> None:
    zim("import", PAGE)
    for expression in (
        *("order == [zulu, lozi]", "order != [lozi, zulu]", "queue == order", "zulu in order"),
        *("plaques@r3 == [lozi, zulu]", "eshu not in left", "herd in left", "zulu.specialists != [herd]"),
    ):
        assert zim("expect", "g01-2p", expression).exit_code == 0, expression
    for wrong, message in (("order == [zuul, lozi]", "zuul"), ("order == lozi", "a list is compared with a list")):
        refusal = zim("expect", "g01-2p", wrong)
        assert (refusal.exit_code, message in refusal.stderr) == (2, True), refusal.output
    zim("new", "af", "--game", "africana", "--seed", "3")
    for expression in ("order == [italy, france, germany, england]", "count(left) > 0", "italy.joined == []"):
        assert zim("expect", "af", expression).exit_code == 0, expression
