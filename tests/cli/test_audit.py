"""`zim audit`: its output, the files it writes, and the exit codes."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli
from zimcore.transcripts import audit_documents
from zimcore.transcripts.repair import Repair

Zim = Callable[..., Result]
RECORDED_GAME = Path(__file__).parent.parent / "games" / "bot-2p-015.zim"


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.chdir(tmp_path)
    lines = RECORDED_GAME.read_text("utf-8").splitlines()
    Path("game.zim").write_text("\n".join(lines), "utf-8")
    pass_index = next(pass_index for pass_index, line in enumerate(lines) if line.endswith(": pass"))
    Path("broken.zim").write_text(
        "\n".join([*lines[:pass_index], lines[pass_index].replace("pass", "psas"), *lines[pass_index + 1 :]]), "utf-8"
    )
    return lambda *words, stdin="": CliRunner().invoke(cli, ["--store", "sqlite:///games.db", *words], input=stdin)


def test_a_legal_log_is_reported_as_legal(zim: Zim) -> None:
    result = zim("audit", "game.zim")
    assert (result.exit_code, "85 lines: 85 legal · round 9 · Mutapa has won" in result.output) == (0, True)
    assert zim("audit", "game.zim", "--all").output.count("✓") == 85


def test_an_illegal_log_is_reported_and_repaired(zim: Zim) -> None:
    result = zim("audit", "broken.zim", "game.zim")
    assert result.exit_code == 1
    assert "1 not understood, 1 cause, 68 consequences" in result.output
    assert "likely: 'kilwa: pass' instead of 'kilwa: psas'" in result.output, (
        "the likely repair is named without --repair too"
    )
    assert "68 later lines are illegal because of it; --all shows them" in result.output
    assert "broken.zim:9: kilwa: psas: not understood, and 68 follow from it" in result.output
    assert "follows from line 9" in zim("audit", "broken.zim", "--all").output
    assert "audit broken.zim --repair" in result.output
    repair_result = zim("audit", "broken.zim", "--into", "fixed.zim", "--json")
    assert repair_result.exit_code == 1
    (log,) = json.loads(repair_result.stdout)["logs"]
    bad_line = next(line for line in log["lines"] if line["verdict"] == "not understood")
    (change,) = log["proposals"][0]["changes"]
    assert (change["kind"], change["number"], change["was"]) == ("replaced", bad_line["number"], bad_line["text"])
    assert change["amend"] == [f'amend @{bad_line["move"] + 1} "{bad_line["text"].replace("psas", "pass")}"']
    assert zim("audit", "fixed.zim").exit_code == 0
    assert zim("run", "fixed.zim").exit_code == 0, "the written file is a script"


def test_a_repair_that_finds_nothing_says_so(zim: Zim) -> None:
    assert "game.zim: nothing to repair" in zim("audit", "game.zim", "--repair").output
    Path("lost.zim").write_text("new players=2 seed=7\nkilwa: xyzzy\nkilwa: plugh\n" * 1, "utf-8")
    refusal = zim("audit", "lost.zim", "--repair")
    assert (refusal.exit_code, "lost.zim: no repair found" in refusal.output) == (1, True)
    assert "no repair found" not in zim("audit", "broken.zim", "--repair").output


def test_prose_before_the_set_up_is_skipped_with_a_notice(zim: Zim) -> None:
    log_text = Path("game.zim").read_text("utf-8").removeprefix("#")
    Path("prose.zim").write_text(f"Our game of the week\nby Ann\n{log_text}", "utf-8")
    result = zim("audit", "prose.zim")
    assert (result.exit_code, "prose.zim: lines 1 to 3 before `new` skipped" in result.output) == (0, True)
    assert "before `new`" not in zim("audit", "game.zim").output


def test_a_log_with_seats_and_words_of_its_own_is_read(zim: Zim) -> None:
    log_text = "new players=2 seed=7\nRed: baut f6\nM baut c6\nM bietet 1\nRot passt\n"
    Path("club.log").write_text(log_text, "utf-8")
    Path("words.txt").write_text("# German\nbaut = start\nbietet = bid\npasst = pass\nRot = Red\n", "utf-8")
    seat_names = "Red=mutapa,M=kilwa"
    result = zim("audit", "club.log", "--seats", seat_names, "--words", "words.txt")
    assert (result.exit_code, "4 lines: 4 legal" in result.output) == (0, True), result.output
    assert zim("audit", "club.log").exit_code == 1
    refusal = zim("audit", "club.log", "--seats", "Red=mutapo,M=kilwa")
    assert (refusal.exit_code, "the seats are kilwa, mutapa" in refusal.output) == (2, True)
    assert zim("audit", "club.log", "--seats", "Red").exit_code == 2


def test_the_output_of_log_is_audited(zim: Zim) -> None:
    assert zim("run", "game.zim").exit_code == 0
    for format_options in ([], ["--json"], ["--format", "csv"]):
        log_text = zim("log", *format_options).stdout
        assert zim("audit", "-", stdin=log_text).exit_code == 0
    last_lines = zim("log").stdout.splitlines()[20:]
    assert zim("audit", "-", stdin="\n".join(last_lines)).exit_code == 2, "it does not say how the game was set up"
    assert (
        zim("audit", "-", "--from", f"{zim('games').stdout.split()[6]}@19", stdin="\n".join(last_lines)).exit_code == 0
    )


def test_a_log_with_hidden_cards_is_audited_as_far_as_it_is_known(zim: Zim) -> None:
    zim("new", "a", "--game", "africana", "seed=7")
    assert zim("do", "a", "draw", "--open").exit_code == 0
    for options in (["--open"], []):
        log_json = zim("log", "a", "--json", *options).stdout
        assert zim("audit", "-", "--game", "africana", stdin=log_json).exit_code == 0
    log_text = zim("log", "a", "--open").stdout
    results = [
        zim("audit", "-", "--from", "a@start", "--json", *options, stdin=log_text) for options in (["--open"], [])
    ]
    assert [result.exit_code for result in results] == [0, 0]


def test_exported_commits_of_one_game_are_audited(zim: Zim) -> None:
    assert zim("run", "game.zim").exit_code == 0
    match_name = zim("games").stdout.split()[6]
    assert zim("export", "--tables", "one", match_name).exit_code == 0
    assert "64 lines: 64 legal" in zim("audit", "one/commits.csv").output
    zim("new", "another", "players=2", "seed=7")
    assert zim("export", "--tables", "two", match_name, "another").exit_code == 0
    audit = zim("audit", "two/commits.csv")
    assert (audit.exit_code, "64 lines: 64 legal" in audit.output, "no lines" in audit.output) == (0, True, True)


def test_the_set_up_of_hidden_cards_is_no_move_in_an_exported_table(zim: Zim) -> None:
    zim("new", "a", "--game", "africana", "seed=7")
    assert zim("do", "a", "draw", "--open").exit_code == 0
    assert zim("export", "--tables", "tables", "a", "--open").exit_code == 0
    result = zim("audit", "tables/commits.csv", "--from", "a@start", "--open")
    assert (result.exit_code, "1 line: 1 legal" in result.output) == (0, True), result.output


@pytest.mark.parametrize(
    "text", ["", "pass", "[" * 80, '{"games": 1}', "new players=2\npass", "new --game chess\n", "\x00"]
)
def test_input_that_is_no_log_is_an_error(zim: Zim, text: str) -> None:
    result = zim("audit", "-", stdin=text)
    assert result.exit_code == 2
    assert "bug" not in result.output
    assert zim("audit", "nowhere.zim").exit_code == 4
    assert zim("audit", "game.zim", "broken.zim", "--into", "x").exit_code == 2


def test_a_slip_in_a_line_of_several_monuments_is_repaired_whole(zim: Zim) -> None:
    lines = Path("game.zim").read_text("utf-8").splitlines()
    raise_index = next(raise_index for raise_index, line in enumerate(lines) if ": raise" in line and ";" in line)
    Path("slip.zim").write_text(
        "\n".join([*lines[:raise_index], lines[raise_index].replace("raise", "rasie"), *lines[raise_index + 1 :]]),
        "utf-8",
    )
    repair_result = zim("audit", "slip.zim", "--into", "fixed.zim", "--json")
    (log,) = json.loads(repair_result.stdout)["logs"]
    (change,) = log["proposals"][0]["changes"]
    assert (change["number"], change["was"], change["text"]) == (
        raise_index + 1,
        lines[raise_index].replace("raise", "rasie"),
        lines[raise_index],
    )
    assert zim("run", "fixed.zim").exit_code == 0
    fixed_lines = Path("fixed.zim").read_text("utf-8").splitlines()
    assert fixed_lines == [
        line for line in ["new --game zimbabwe " + lines[1].removeprefix("new "), *lines[2:]] if line[0] != "#"
    ]


def test_the_repaired_script_of_an_informal_log_runs(zim: Zim) -> None:
    lines = Path("game.zim").read_text("utf-8").splitlines()
    informal_lines = [
        line.replace(": raise", " - raises").replace(": bid", " bids") for line in lines if "expect" not in line
    ]
    pass_index = next(pass_index for pass_index, line in enumerate(informal_lines) if line.endswith(": pass"))
    Path("people.txt").write_text(
        "\n".join(
            [
                *informal_lines[:pass_index],
                informal_lines[pass_index].replace("pass", "pasz"),
                *informal_lines[pass_index + 1 :],
            ]
        ),
        "utf-8",
    )
    assert zim("audit", "people.txt", "--into", "fixed.zim").exit_code == 1
    assert zim("run", "fixed.zim").exit_code == 0


def test_the_log_itself_is_not_written_over(zim: Zim) -> None:
    log_before = Path("broken.zim").read_bytes()
    refusal = zim("audit", "broken.zim", "--into", "./broken.zim")
    assert (refusal.exit_code, Path("broken.zim").read_bytes()) == (2, log_before)


def test_a_log_without_a_move_is_an_error(zim: Zim) -> None:
    Path("head.zim").write_text("new players=2 seed=7\n", "utf-8")
    assert zim("audit", "head.zim").exit_code == 2
    assert "no move" in zim("audit", "head.zim").output


def test_other_encodings_are_read_or_reported(zim: Zim) -> None:
    log_text = Path("game.zim").read_text("utf-8")
    Path("wide.zim").write_bytes(log_text.encode("utf-16"))
    assert zim("audit", "wide.zim").exit_code == 0
    for content, reason in ((b"", "empty"), (b"\x89PNG\0\0", "not a text file")):
        Path("other").write_bytes(content)
        refusal = zim("audit", "other")
        assert (refusal.exit_code, reason in refusal.output) == (2, True)


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_no_repair_is_searched_for_a_log_in_other_words(zim: Zim, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    searched_lengths: list[int] = []

    def find_no_repairs(game: object, begin: object, lines: Sequence[object], **_: object) -> list[Repair]:
        searched_lengths.append(len(lines))
        return []

    monkeypatch.setattr(audit_documents, "repairs", find_no_repairs)
    log_lines = [f"A xyzzy {number}\n" for number in range(7)]
    Path("other.log").write_text(f"new --game {kind} players=2 seed=7\n{''.join(log_lines)}", "utf-8")
    for options in ((), ("--repair",)):
        result = zim("audit", "other.log", *options)
        assert (result.exit_code, "    2 ✗ A xyzzy 0" in result.output, "xyzzy 1" in result.output) == (1, True, False)
        assert f"other.log: none of its 7 lines is a command in the notation of {kind}" in result.output
        assert "audit other.log --learn style.toml" in result.output
        assert "cause" not in result.output
    assert "xyzzy 6" in zim("audit", "other.log", "--all").output
    assert searched_lengths == []
    Path("other.log").write_text(f"new --game {kind} players=2 seed=7\n{''.join(log_lines[:6])}", "utf-8")
    assert "1 cause, 5 consequences" in zim("audit", "other.log").output
    assert searched_lengths == [6], "a log this short is searched for repairs"


def test_a_backup_is_not_read_from_stdin(zim: Zim) -> None:
    """A log can come from stdin; a database can't."""
    refusal = zim("doctor", "--backup", "-")
    assert (refusal.exit_code, "--backup takes the name of a file" in refusal.output) == (2, True)
