"""`zim advice`: proposals, and what they would have brought in the match."""

import json
from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.service import GameService

Zim = Callable[..., Result]


@pytest.fixture
def zim_with_match() -> Iterator[Zim]:
    """`zim` on a store in memory, with a match of The Great Zimbabwe."""
    with EventStore.open("memory:") as store:
        service = GameService(store)

        def run_zim(*words: str) -> Result:
            return CliRunner().invoke(cli, words, obj=Session(Output(), by="anna", service=service), prog_name="zim")

        assert run_zim("new", "k", "players=2", "seed=1").exit_code == 0
        assert run_zim("do", "k", "start c1", "start f1", "bid 1", "pass").exit_code == 0
        yield run_zim


def test_advice_has_a_command_and_what_it_brings(zim_with_match: Zim) -> None:
    result = zim_with_match("advice", "k", "adore")
    assert result.exit_code == 0
    first_line, second_line, *_ = result.stdout.splitlines()[1:]
    assert first_line.startswith("adore ")
    assert second_line.startswith("    ")
    assert " VR" in second_line


def test_hindsight_names_what_a_god_would_have_brought(zim_with_match: Zim) -> None:
    advice_document = json.loads(zim_with_match("advice", "k", "adore", "--json").stdout)
    effects_by_command = {advice["text"]: advice["brings"] for advice in advice_document["advice"]}
    assert any(effects[-1].startswith("would have brought") for effects in effects_by_command.values())
    assert advice_document["beginning"] == "adore"


def test_most_limits_the_list_and_an_empty_list_is_no_error(zim_with_match: Zim) -> None:
    assert len(json.loads(zim_with_match("advice", "k", "--json", "--most", "2").stdout)["advice"]) == 2
    no_advice = zim_with_match("advice", "k", "raise")
    assert (no_advice.exit_code, no_advice.stderr) == (0, "nothing stands out: `zim legal` lists what can be played\n")
