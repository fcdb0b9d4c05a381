"""Logs audited at the shell: what is told, what is written, and the exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli

Zim = Callable[..., Result]
RECORDED = Path(__file__).parent.parent / "games" / "bot-2p-015.zim"


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.chdir(tmp_path)
    lines = RECORDED.read_text("utf-8").splitlines()
    Path("game.zim").write_text("\n".join(lines), "utf-8")
    at = next(at for at, line in enumerate(lines) if line.endswith(": pass"))
    Path("broken.zim").write_text(
        "\n".join([*lines[:at], lines[at].replace("pass", "psas"), *lines[at + 1 :]]), "utf-8"
    )
    return lambda *words, typed="": CliRunner().invoke(cli, ["--store", "sqlite:///games.db", *words], input=typed)


def test_a_log_that_stands(zim: Zim) -> None:
    told = zim("audit", "game.zim")
    assert (told.exit_code, "85 lines: 85 legal · round 9 · Mutapa has won" in told.output) == (0, True)
    assert zim("audit", "game.zim", "--all").output.count("✓") == 85


def test_a_log_that_does_not_is_told_and_repaired(zim: Zim) -> None:
    told = zim("audit", "broken.zim", "game.zim")
    assert told.exit_code == 1
    assert "1 not understood" in told.output
    assert "--all shows them" in told.output
    assert "audit broken.zim --repair" in told.output
    repaired = zim("audit", "broken.zim", "--into", "fixed.zim", "--json")
    assert repaired.exit_code == 1
    (log,) = json.loads(repaired.stdout)["logs"]
    bad = next(each for each in log["lines"] if each["verdict"] == "not understood")
    (change,) = log["proposals"][0]["changes"]
    assert (change["kind"], change["number"], change["was"]) == ("replaced", bad["number"], bad["text"])
    assert change["amend"] == [f'amend @{bad["move"] + 1} "{bad["text"].replace("psas", "pass")}"']
    assert zim("audit", "fixed.zim").exit_code == 0
    assert zim("run", "fixed.zim").exit_code == 0, "what is written is a script"


def test_what_the_store_prints_is_audited(zim: Zim) -> None:
    assert zim("run", "game.zim").exit_code == 0
    for form in ([], ["--json"]):
        log = zim("log", *form).stdout
        assert zim("audit", "-", typed=log).exit_code == 0
    rest = zim("log").stdout.splitlines()[20:]
    assert zim("audit", "-", typed="\n".join(rest)).exit_code == 2, "it does not say how the game was set up"
    assert zim("audit", "-", "--from", f"{zim('games').stdout.split()[6]}@19", typed="\n".join(rest)).exit_code == 0


def test_games_with_hidden_cards_need_who_sees_them(zim: Zim) -> None:
    zim("new", "a", "--game", "africana", "seed=7")
    assert zim("do", "a", "draw", "--open").exit_code == 0
    for open_, code in ((["--open"], 0), ([], 2)):
        log = zim("log", "a", "--json", *open_).stdout
        assert zim("audit", "-", "--game", "africana", typed=log).exit_code == code
    moved = zim("log", "a", "--open").stdout
    seen = [zim("audit", "-", "--from", "a@start", "--json", *open_, typed=moved) for open_ in (["--open"], [])]
    assert [each.exit_code for each in seen] == [0, 0]


@pytest.mark.parametrize(
    "typed", ["", "pass", "[" * 80, '{"games": 1}', "new players=2\npass", "new --game chess\n", "\x00"]
)
def test_what_is_no_log_is_an_error(zim: Zim, typed: str) -> None:
    failed = zim("audit", "-", typed=typed)
    assert failed.exit_code == 2
    assert "bug" not in failed.output
    assert zim("audit", "nowhere.zim").exit_code == 4
    assert zim("audit", "game.zim", "broken.zim", "--into", "x").exit_code == 2
