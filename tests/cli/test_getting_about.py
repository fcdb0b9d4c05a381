"""Finding one's way: sums before lists, the last moves, the game played last, and whether a line was switched."""

import json
import shlex
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from tests.cli.conftest import Zim
from zimcli.errors import with_command_lines
from zimcli.main import cli
from zimcli.output import Output
from zimcli.session import Session
from zimcore.documents.problems import Problem
from zimcore.service import GameService


def run(service: GameService, *words: str) -> Result:
    return CliRunner().invoke(cli, words, obj=Session(Output(), by="anna", service=service), prog_name="zim")


def test_many_legal_commands_are_summed_up_by_kind() -> None:
    with EventStore.open("memory:") as store:
        service = GameService(store)
        assert run(service, "new", "k", "players=2", "seed=1").exit_code == 0
        few = run(service, "legal", "k").stdout
        assert few == run(service, "legal", "k", "start").stdout != ""
        run(service, "do", "k", "start c1; start f1; bid 1; pass")
        text = run(service, "legal", "k").stdout
        lines = run(service, "legal", "k", "--all").stdout.splitlines()
        assert f"{len(lines)} in all; words narrow it down" in text
        assert "adore eshu" in text
        document = json.loads(run(service, "legal", "k", "--json").stdout)
        assert (document["legal"], sum(document["kinds"].values())) == (lines, len(lines))


def test_the_last_moves(script: Callable[..., Result], zim: Zim) -> None:
    script("new k", "take 2", "take 1", "take 1")
    assert [line.split()[0] for line in zim("log", "k", "-n", "2").stdout.splitlines()] == ["2", "3"]
    operations = zim("log", "k", "--ops").stdout.splitlines()
    assert zim("log", "k", "--ops", "--last", "1").stdout.splitlines()[1:] == operations[-1:]
    assert zim("log", "k", "-n", "99").stdout == zim("log", "k").stdout


def test_the_game_played_last_is_meant_where_none_is_named(script: Callable[..., Result], zim: Zim) -> None:
    script("new k", "new other", "do k 'take 2'")
    result = zim("log")
    assert result.stdout == zim("log", "k").stdout
    assert result.stderr == "using k, the last game that was played\n"
    assert zim("do", "take 1").exit_code == 0
    result = zim("log", "--json")
    assert (result.exit_code, json.loads(result.stderr)["error"]["what"]) == (2, "no game given")


def test_the_name_of_a_game_is_no_name_of_a_match_unless_that_is_said(zim: Zim) -> None:
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


NEW_LINES = ["fork k@1 what-if", "amend k@1 'take 1' --name what-if"]


@pytest.mark.parametrize("command", NEW_LINES)
def test_what_switches_the_current_line_says_so(script: Callable[..., Result], zim: Zim, command: str) -> None:
    script("new k", "take 2")
    result = zim(*shlex.split(command))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "what-if is the current line of k now; zim switch k/main goes back"
    assert current(zim) == "what-if"


def current(zim: Zim) -> str:
    lines = json.loads(zim("lines", "k", "--json").stdout)["lines"]
    return str(next(line["name"] for line in lines if line["current"]))


@pytest.mark.parametrize("command", NEW_LINES)
def test_a_script_goes_on_at_its_new_line_and_leaves_the_users_current_one(
    script: Callable[..., Result], zim: Zim, command: str
) -> None:
    script("new k", "take 2")
    result = script(command, "take 1", "do k 'take 3'", "expect k 'zulu.cattle + kilwa.cattle > 3'", "rename k other")
    assert result.exit_code == 0, result.output
    assert "current line" not in result.stdout
    assert current(zim) == "main"
    heads = {line["name"]: line["head"] for line in json.loads(zim("lines", "k", "--json").stdout)["lines"]}
    assert heads == {"main": 1, "other": 3}
    assert script(*[f"{command}-2", "switch k/other"]).exit_code == 0
    assert current(zim) == "other"


@pytest.mark.parametrize(
    "request_",
    [
        {"fork": "what-if", "place": "k@1"},
        {"amend": {"place": "k@1", "text": "take 1", "name": "what-if"}},
    ],
    ids=["fork", "amend"],
)
def test_a_pipe_leaves_the_current_line(script: Callable[..., Result], zim: Zim, request_: dict[str, object]) -> None:
    script("new k herd=5", "take 2")
    sent = "\n".join(map(json.dumps, [request_, {"show": "k"}]))
    answer, answers = map(json.loads, zim("pipe", typed=sent).stdout.splitlines())
    assert (answer["code"], answers["answer"]["position"]["line"], current(zim)) == (0, "main", "main"), answer
    assert not answer["answer"].get("left")
    assert len(json.loads(zim("lines", "k", "--json").stdout)["lines"]) == 2


def test_a_misspelt_game_is_mended_in_the_whole_line() -> None:
    wrong = Problem("error", "there is no game called 'fridy'", 2, (), ("friday", "new"))
    assert with_command_lines(wrong, ["do", "fridy", "craft potter d4"]).hints == (
        "zim do friday 'craft potter d4'",
        "new",
    )
    assert with_command_lines(wrong, ["do", "friday", "pass"]).hints == ("friday", "new")
    hidden = with_command_lines(wrong, ["--store", "postgresql://ann:secret@db/games", "log", "fridy@r2"]).hints
    assert hidden == ("zim log friday@r2", "new")


def test_a_command_of_later_is_not_proposed_now() -> None:
    with EventStore.open("memory:") as store:
        service = GameService(store)
        assert run(service, "new", "friday", "players=2", "seed=1").exit_code == 0
        result = run(service, "do", "friday", "crft potter d4")
        assert (result.exit_code, "you may mean craft, but now there is only start" in result.stderr) == (2, True)
        assert "craft potter d4" not in result.stderr
        assert "try: start f4 · start d6 · start c1" in run(service, "do", "friday", "strat d4").stderr  # d4 is refused
        assert "try: zim do friday pass" in run(service, "do", "fridy", "pass").stderr
