"""Orientation: counts before long lists, the last moves, the game played last, and switches of the current line."""

import json
import shlex
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from tests.cli.conftest import Zim
from zimcli.main import cli
from zimcli.output.errors import with_command_lines
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcli.session.shell_moves import with_playing_lines
from zimcore.documents.problems import Problem
from zimcore.service import GameService


def run_zim(service: GameService, *words: str) -> Result:
    return CliRunner().invoke(cli, words, obj=Session(Output(), by="anna", service=service), prog_name="zim")


def test_many_legal_commands_are_summed_up_by_kind() -> None:
    with EventStore.open("memory:") as store:
        service = GameService(store)
        assert run_zim(service, "new", "k", "players=2", "seed=1").exit_code == 0
        short_list = run_zim(service, "legal", "k").stdout
        assert short_list == run_zim(service, "legal", "k", "start").stdout != ""
        run_zim(service, "do", "k", "start c1; start f1; bid 1; pass")
        long_list = run_zim(service, "legal", "k").stdout
        all_lines = run_zim(service, "legal", "k", "--all").stdout.splitlines()
        assert f"{len(all_lines)} in all; words narrow it down" in long_list
        assert "adore eshu" in long_list
        document = json.loads(run_zim(service, "legal", "k", "--json").stdout)
        assert (document["legal"], sum(document["kinds"].values())) == (all_lines, len(all_lines))


def test_log_shows_the_last_moves(run_script: Callable[..., Result], zim: Zim) -> None:
    run_script("new k", "take 2", "take 1", "take 1")
    assert [line.split()[0] for line in zim("log", "k", "-n", "2").stdout.splitlines()] == ["2", "3"]
    operations = zim("log", "k", "--ops").stdout.splitlines()
    assert zim("log", "k", "--ops", "--last", "1").stdout.splitlines()[1:] == operations[-1:]
    assert zim("log", "k", "-n", "99").stdout == zim("log", "k").stdout


def test_a_command_without_a_game_means_the_game_played_last(run_script: Callable[..., Result], zim: Zim) -> None:
    run_script("new k", "new other", "do k 'take 2'")
    result = zim("log")
    assert result.stdout == zim("log", "k").stdout
    assert result.stderr == "using k, the last game that was played\n"
    assert zim("do", "take 1").exit_code == 0
    result = zim("log", "--json")
    assert (result.exit_code, json.loads(result.stderr)["error"]["what"]) == (2, "no game given")


def test_a_match_named_as_a_kind_of_game_needs_the_game_option(zim: Zim) -> None:
    result = zim("new", "herd")
    assert (result.exit_code, result.stderr.splitlines()) == (
        2,
        [
            "error: herd",
            "  is this the kind of game to play, or the name of yours?",
            "  try: zim new --game herd · zim new herd --game herd",
        ],
    )
    assert zim("new", "herd", "--game", "herd").exit_code == 0


FORKING_COMMANDS = ["fork k@1 what-if", "amend k@1 'take 1' --name what-if"]


@pytest.mark.parametrize("command", FORKING_COMMANDS)
def test_a_command_that_switches_the_current_line_says_so(
    run_script: Callable[..., Result], zim: Zim, command: str
) -> None:
    run_script("new k", "take 2")
    result = zim(*shlex.split(command))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "what-if is the current line of k now; zim switch k/main goes back"
    assert current_line(zim) == "what-if"


def current_line(zim: Zim) -> str:
    lines = json.loads(zim("lines", "k", "--json").stdout)["lines"]
    return str(next(line["name"] for line in lines if line["current"]))


@pytest.mark.parametrize("command", FORKING_COMMANDS)
def test_without_switching_the_current_line_stays(run_script: Callable[..., Result], zim: Zim, command: str) -> None:
    run_script("new k", "take 2")
    result = zim(*shlex.split(command), "--no-switch")
    assert (result.exit_code, "current line" in result.stdout, current_line(zim)) == (0, False, "main"), result.output
    assert zim("show", "k/what-if").exit_code == 0
    script = run_script("switch k/main", f"{command}-2 --no-switch", "take 1")
    main_head = json.loads(zim("show", "k/main", "--json").stdout)["position"]["number"]
    assert (script.exit_code, main_head) == (0, 2), script.output


@pytest.mark.parametrize("command", FORKING_COMMANDS)
def test_a_script_goes_on_at_its_new_line_and_leaves_the_users_current_one(
    run_script: Callable[..., Result], zim: Zim, command: str
) -> None:
    run_script("new k", "take 2")
    result = run_script(
        command, "take 1", "do k 'take 3'", "expect k 'zulu.cattle + kilwa.cattle > 3'", "rename k other"
    )
    assert result.exit_code == 0, result.output
    assert "current line" not in result.stdout
    assert current_line(zim) == "main"
    heads_by_line = {line["name"]: line["head"] for line in json.loads(zim("lines", "k", "--json").stdout)["lines"]}
    assert heads_by_line == {"main": 1, "other": 3}
    assert run_script(*[f"{command}-2", "switch k/other"]).exit_code == 0
    assert current_line(zim) == "other"


@pytest.mark.parametrize(
    "pipe_request",
    [
        {"fork": "what-if", "place": "k@1"},
        {"amend": {"place": "k@1", "text": "take 1", "name": "what-if"}},
    ],
    ids=["fork", "amend"],
)
def test_a_pipe_leaves_the_current_line(
    run_script: Callable[..., Result], zim: Zim, pipe_request: dict[str, object]
) -> None:
    run_script("new k herd=5", "take 2")
    requests = "\n".join(map(json.dumps, [pipe_request, {"show": "k"}]))
    reply, show_reply = map(json.loads, zim("pipe", stdin=requests).stdout.splitlines())
    assert (reply["code"], show_reply["answer"]["position"]["line"], current_line(zim)) == (0, "main", "main"), reply
    assert not reply["answer"].get("left")
    assert len(json.loads(zim("lines", "k", "--json").stdout)["lines"]) == 2


def test_a_misspelt_game_is_mended_in_the_whole_line() -> None:
    problem = Problem("error", "there is no game called 'fridy'", 2, (), ("friday", "new"))
    assert with_command_lines(problem, ["do", "fridy", "craft potter d4"], "zim").hints == (
        "zim do friday 'craft potter d4'",
        "new",
    )
    assert with_command_lines(problem, ["do", "friday", "pass"], "zim").hints == ("friday", "new")
    hints = with_command_lines(problem, ["--store", "postgresql://ann:secret@db/games", "log", "fridy@r2"], "zim").hints
    assert hints == ("zim log friday@r2", "new")


def test_a_command_that_is_legal_only_later_is_not_proposed() -> None:
    with EventStore.open("memory:") as store:
        service = GameService(store)
        assert run_zim(service, "new", "friday", "players=2", "seed=1").exit_code == 0
        result = run_zim(service, "do", "friday", "crft potter d4")
        assert (result.exit_code, "you may mean craft, but now there is only start" in result.stderr) == (2, True)
        assert "craft potter d4" not in result.stderr
        hints = 'try: zim do friday "start f4" · zim do friday "start d6" · zim do friday "start c1"'
        assert hints in run_zim(service, "do", "friday", "strat d4").stderr  # d4 is refused
        assert "try: zim do friday pass" in run_zim(service, "do", "fridy", "pass").stderr


@pytest.mark.parametrize("typed_moves", [["strat f4"], ["start f5"], ["start", "f4"], ["start f5; pass"]])
@pytest.mark.parametrize("words", [["do", "friday"], ["do"], ["do", "friday/main"], ["--as", "kilwa", "do", "friday"]])
def test_a_proposed_move_is_a_command_line_that_plays_it(words: list[str], typed_moves: list[str]) -> None:
    with EventStore.open("memory:") as store:
        service = GameService(store)
        run_zim(service, "new", "friday", "players=2", "seed=1")
        hint = first_hint(run_zim(service, *words, *typed_moves))
        assert hint.startswith("zim do friday")
        assert hint.endswith('"')
        json_hints = json.loads(run_zim(service, "--json", *words, *typed_moves).stderr)["error"]["hints"]
        assert not [hint for hint in json_hints if '"' in hint], "programs read moves"
        assert run_zim(service, *shlex.split(hint)[1:]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["do", "monday", "start f4"], "zim do friday 'start f4'"),
        (["do", "fridy/what-if", "start f4"], "zim do friday/what-if 'start f4'"),
        (["do", "friday", "--as", "kilwa", "start g7"], 'zim do friday "start f4"'),
        (["try", "friday", "start g7"], 'zim try friday "start f4"'),
        (["try", "friday", "start f4", "start g7"], "start d6"),
        (["explain", "friday", "strat"], 'zim explain friday "start c1"'),
        (["--store", "sqlite:///other.db", "do", "friday", "start g7"], "start f4"),
        (["do", "friday", "start f4", "start g7", "--id", "x"], 'zim do friday "start d6"'),
    ],
)
def test_a_proposed_line_is_about_what_was_typed(words: list[str], hint: str) -> None:
    with EventStore.open("memory:") as store:
        service = GameService(store)
        run_zim(service, "new", "friday", "players=2", "seed=1")
        assert first_hint(run_zim(service, *words)) == hint


def test_a_verb_that_is_also_a_command_is_played() -> None:
    """`join` is a move of Africana, and a command of Zim."""
    with EventStore.open("memory:") as store:
        service = GameService(store)
        run_zim(service, "new", "jj", "game=africana", "players=2", "seed=7")
        session = Session(Output(), by="anna", service=service)
        session.command_place = "jj"
        refused = Problem("refused", "italy: join A99", 1, (), ("join A08", "legal join"), command="do", place="jj")
        shown = with_playing_lines(session, ["do", "jj", "join A99"], refused)
        assert shown.hints == ('zim do jj "join A08"', "legal join")


def first_hint(result: Result) -> str:
    """The first line that an error proposes."""
    return result.stderr.partition("try: ")[2].partition("\n")[0].split(" · ")[0]
