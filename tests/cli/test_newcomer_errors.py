"""Errors that newcomers have met at the prompt: each says what is wrong, and what to type next."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli
from zimcore.service import open_service

Zim = Callable[..., Result]


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    """`zim` on a store with a game in which Mutapa begins its first turn."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def run_zim(*words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words], input=stdin)

    run_zim("new", "z", "players=2", "seed=1")
    run_zim("do", "z", "start f4", "start a3", "bid 1", "pass")
    return run_zim


def test_examples_for_half_a_command_can_be_played(zim: Zim) -> None:
    for verb in ("hire", "build", "craft", "adore"):
        result = zim("--json", "do", "z", verb)
        hints = json.loads(result.stderr)["error"]["hints"]
        assert len(hints) == 3
        for hint in hints:
            assert hint.startswith(f"{verb} ")
            assert zim("try", "z", hint).exit_code == 0, hint


@pytest.mark.parametrize(
    ("typed_text", "reason", "hint"),
    [
        ("adore shangoo", "choose from shadipinyi, dziva, eshu, gu, obatala, tsui_goab, qamata, xango", "adore xango"),
        ("hire shaamn wood c1", "unknown specialist", "hire shaman wood b1"),
        ("craft poter c2", "unknown craftsman", "craft potter c2"),
        ("start g12 g9", "too many words for start", "help start"),
        ("build c2 q", "not a square", "build c2"),
        ("c2", "a square is not a command", "build c2"),
    ],
)
def test_suggestions_are_whole_commands(zim: Zim, typed_text: str, reason: str, hint: str) -> None:
    error = json.loads(zim("--json", "do", "z", typed_text).stderr)["error"]
    assert reason in error["why"][0]["text"]
    assert any(proposal.startswith(hint) or proposal == f"zim {hint}" for proposal in error["hints"]), error["hints"]


@pytest.mark.parametrize("move", ["start a99", "start", "start f4", "kilwa: start f4", "start f4 --quiet"])
def test_a_move_typed_as_a_command_is_proposed_in_a_game(zim: Zim, move: str) -> None:
    zim("new", "k", "players=2", "seed=1")
    zim("new", "a", "--game", "africana", "players=2")
    result = zim("--json", *move.split())
    assert result.exit_code == 2
    error = json.loads(result.stderr)["error"]
    assert "start is a move of The Great Zimbabwe" in error["why"][0]["text"]
    assert error["hints"]
    for hint in error["hints"]:
        assert hint.startswith('zim do k "')
        assert zim(*shlex.split(hint)[1:]).exit_code == 0, hint
        zim("undo", "k")


@pytest.mark.parametrize(("move", "proposes_move"), [("strat f4", True), ("strat a99", False), ("strat", False)])
def test_a_misspelt_move_typed_as_a_command_is_proposed_if_it_can_be_played(
    zim: Zim, move: str, proposes_move: bool
) -> None:
    zim("new", "k", "players=2", "seed=1")
    hints = json.loads(zim("--json", *move.split()).stderr)["error"]["hints"]
    assert ('zim do k "start f4"' in hints) == proposes_move
    assert "zim stats" in hints
    assert not proposes_move or zim(*shlex.split(hints[0])[1:]).exit_code == 0


def test_a_move_typed_as_a_command_without_a_game_gets_help_that_exists(tmp_path: Path) -> None:
    for move, hint in (("start f4", "help new"), ("build l5", "help build")):
        words = ["--store", f"sqlite:///{tmp_path}/none.db", *move.split()]
        assert f"try: zim {hint}\n" in CliRunner().invoke(cli, words, prog_name="zim").stderr
        assert CliRunner().invoke(cli, hint.split()).exit_code == 0


@pytest.mark.parametrize(("words", "word"), [("what is a hub", "hub"), ("gods demo", "god"), ("VP", "VP")])
def test_a_word_of_a_game_typed_as_a_command_gets_its_help(words: str, word: str) -> None:
    result = CliRunner().invoke(cli, ["--store", "memory:", *words.split()], prog_name="zim")
    assert f"try: zim help {word}" in result.stderr
    assert CliRunner().invoke(cli, ["help", word]).exit_code == 0


def test_only_gods_of_this_game_are_listed(zim: Zim) -> None:
    text = zim("do", "z", "adore zeus").stderr
    assert "xango" in text
    assert "anansi" not in text


def test_a_square_in_the_set_up_is_a_first_monument(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=1")
    assert "try: start f4\n" in zim("do", "k", "f4").stderr


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("new", "k", "players=2", "bots=strong,quick"), "bots=kilwa:strong"),
        (("new", "k", "players=2", "bots=zulu:quick"), "bots=kilwa:quick"),
        (("new", "k", "players=2", "bots=kilwa=quick"), "bots=kilwa:quick"),
        (("new", "k", "players=2", "keys=anna"), "keys=kilwa:anna"),
        (("new", "k", "africana"), "zim new k --game africana"),
        (("new", "k", "game=chess"), "zim new k --game africana"),
        (("new", "k", "cows=3"), "zim help new"),
        (("bot", "z", "quick", "mutapa"), "zim bot z quick --for mutapa"),
        (("bot", "z", "quick", "--for", "zulu"), "zim bot z quick --for kilwa"),
        (("serve", "--port", "8765"), "zim serve --listen 127.0.0.1:8765"),
    ],
)
def test_hints_have_seats_and_names_of_this_game(zim: Zim, words: tuple[str, ...], hint: str) -> None:
    result = zim(*words)
    assert result.exit_code == 2
    assert hint in result.stderr.partition("try: ")[2]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("serve token eve --demo", "--demo belongs to `serve`, and not to `serve token`"),
        ("serve tokens --url https://zim.example", "--url belongs to `serve`, and not to `serve tokens`"),
        ("serve revoke 1234 --only-read", "--only-read belongs to `serve token`, and not to `serve revoke`"),
        ("serve --demo --direct postgresql://127.0.0.1/x", "--direct is for a store on PostgreSQL"),
        ("serve --listen 127.0.0.1:none --days 3", "--days belongs to `serve token`, and not to `serve`"),
    ],
)
def test_serve_refuses_the_options_that_it_would_ignore(zim: Zim, command: str, reason: str) -> None:
    for result in (zim(*command.split()), zim("run", "-", stdin=command)):
        assert result.exit_code == 2
        assert reason in result.stderr


def test_an_address_in_the_environment_does_not_stop_the_list_of_tokens(
    zim: Zim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZIM_URL", "https://zim.example")
    assert zim("serve", "tokens").exit_code == 0


def test_the_game_may_be_named_as_its_options_are(zim: Zim) -> None:
    assert zim("new", "k", "game=africana", "players=2").exit_code == 0
    assert "italy" in zim("show", "k").stdout


def test_all_options_of_a_new_game_are_listed(zim: Zim) -> None:
    text = zim("new", "k", "cows=3").stderr
    assert all(option in text for option in ("players", "seed", "bots", "keys", "takebacks", "help"))


@pytest.mark.parametrize("verb", ["start", "bid", "raise", "use"])
def test_a_command_that_is_not_possible_now_is_reported(zim: Zim, verb: str) -> None:
    text = zim("do", "z", verb).stderr
    assert "no command with this beginning is legal now" in text
    assert f"zim help {verb}" in text


def test_a_number_outside_the_bidding_is_explained_as_a_bid(zim: Zim) -> None:
    assert "a number alone is a bid, and there is no bidding now" in zim("do", "z", "3").stderr


def test_settings_errors_use_the_words_of_the_manual(zim: Zim) -> None:
    assert "theme is dark, light, colour-blind or plain" in zim("config", "theme", "blue").stderr
    assert "screen is auto, table or lines" in zim("config", "screen", "big").stderr


@pytest.mark.parametrize("words", [("z", "z.cert"), ("z.cert", "z"), ("z.cert",)])
def test_a_file_to_export_to_is_named_by_an_option(zim: Zim, words: tuple[str, ...]) -> None:
    result = zim("export", *words)
    assert result.exit_code == 2
    assert f"try: zim export {'z' if 'z' in words else 'kilwa-7'} --certificate z.cert" in result.stderr


def test_a_request_with_its_command_under_a_key_is_put_right(zim: Zim) -> None:
    answer = json.loads(zim("pipe", stdin='{"command": "board", "place": "z"}').stdout)
    assert answer["error"]["hints"][0] == '{"board": {"place": "kilwa-7"}}'


def test_a_position_compared_with_itself_is_the_same(zim: Zim) -> None:
    assert zim("compare", "z", "z@4").stdout == "main@4 and main@4: the same position\n"


def test_positions_are_offered_in_their_order(zim: Zim) -> None:
    hints = json.loads(zim("--json", "show", "z@r99").stderr)["error"]["hints"]
    assert [hint.partition("@")[2] for hint in hints] == ["start", "r1", "r1.mutapa", "4", "end"]


def test_squares_of_legal_commands_are_marked_and_few_commands_named(zim: Zim) -> None:
    text = zim("board", "z", "--legal", "craft", "wood").stdout
    assert " commands; `legal craft wood` lists them" in text
    assert "°" in text
    assert "legal craft wood_carver d4" not in text
    heading = zim("board", "z", "--legal", "adore").stdout.splitlines()[1]
    assert heading.startswith("legal adore: adore ")
    assert heading.count(" · ") == 7


def test_help_about_a_verb_tells_what_its_cards_do(zim: Zim) -> None:
    text = zim("help", "adore").stdout
    assert "any good costs Zulu 1" not in text
    assert "eshu" in text
    assert "what it does" in text


def test_help_about_gods_says_whose_they_are_and_which_are_not_in_play() -> None:
    service = open_service("memory:")
    service.new("zimbabwe", {"players": "2", "seed": "1"}, name="g", by="anna")
    for line in ("start f4", "start a3", "bid 1", "pass"):
        service.play("g", line, by="anna")
    position_before = service.position("g")
    god = next(iter(position_before.state.setup.gods))
    service.play("g", f"adore {god}", by="anna")
    position = service.position("g")
    meanings_by_god = {
        row[0]: row[-1] for row in position.game.questions.ask(position.state, "cards", ["gods"])[0].rows
    }
    assert meanings_by_god[god].endswith(f" ({position_before.actor} has it)")
    assert [name for name, meaning in meanings_by_god.items() if meaning.endswith("(not in play)")] == [
        name for name in meanings_by_god if name not in position.state.setup.gods
    ]
    assert sum("has it" in meaning for meaning in meanings_by_god.values()) == 1
    card_rows = position.game.questions.ask(position.game.evolution.initial(), "cards", ["gods"])[0].rows
    assert not any("not in play" in row[-1] for row in card_rows)  # outside a game


def test_help_lists_topics_by_game(zim: Zim) -> None:
    text = zim("help", "all").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert max(map(len, zim("help").stdout.splitlines())) <= 80
    assert "Words of Africana that `help` explains\n" in text


def test_a_paragraph_of_the_demo_is_printed_without_a_gap(tmp_path: Path) -> None:
    text = CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/demo.db", "demo", "africana"]).stdout
    assert "what a player would\n# see of them" in text


def test_the_mark_of_the_last_move_is_in_the_legend(zim: Zim) -> None:
    zim("do", "z", "build a1")
    assert "◂ the last move" in zim("board", "z").stdout
    assert "◂" not in zim("board", "z@start").stdout


@pytest.mark.parametrize(
    "words",
    [
        ("bot", "random", "z"),
        ("explain", "adore shadipinyi", "z"),
        ("fork", "y1", "z@2"),
        ("show", "@2", "z"),
        ("say", "hello", "z"),
        ("why", "kilwa.vp", "z@3"),
    ],
)
def test_a_place_typed_last_is_moved_to_the_front(zim: Zim, words: tuple[str, ...]) -> None:
    command, *others, place = words
    error = json.loads(zim("--json", *words).stderr)["error"]
    assert error["hints"] == [shlex.join(["zim", command, place, *others])]
    if command != "show":
        assert zim(*shlex.split(error["hints"][0])[1:]).exit_code == 0


def test_what_is_no_place_leads_to_the_games(zim: Zim) -> None:
    assert json.loads(zim("--json", "show", "@2").stderr)["error"]["hints"] == ["zim games"]


def test_whatif_alone_proposes_alternatives_that_are_legal_now(zim: Zim) -> None:
    (hint,) = json.loads(zim("--json", "whatif", "z").stderr)["error"]["hints"]
    assert zim(*shlex.split(hint)[1:], "--games", "1", "--then", "random").exit_code == 0
