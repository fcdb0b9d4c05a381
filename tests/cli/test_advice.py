"""`zim advice`: proposals, and what they would have brought in the match."""

import json
from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from zimcli.main import cli
from zimcli.output import Output
from zimcli.session import Session
from zimcore.service import GameService

Zim = Callable[..., Result]


@pytest.fixture
def real() -> Iterator[Zim]:
    """The games of the box, in a store in memory."""
    with EventStore.open("memory:") as store:
        service = GameService(store)

        def run(*words: str) -> Result:
            return CliRunner().invoke(cli, words, obj=Session(Output(), by="anna", service=service), prog_name="zim")

        assert run("new", "k", "players=2", "seed=1").exit_code == 0
        assert run("do", "k", "start c1", "start f1", "bid 1", "pass").exit_code == 0
        yield run


def test_advice_has_a_command_and_what_it_brings(real: Zim) -> None:
    result = real("advice", "k", "adore")
    assert result.exit_code == 0
    first, second, *_ = result.stdout.splitlines()[1:]
    assert first.startswith("adore ")
    assert second.startswith("    ")
    assert " VR" in second


def test_hindsight_names_what_a_god_would_have_brought(real: Zim) -> None:
    document = json.loads(real("advice", "k", "adore", "--json").stdout)
    promises = {each["text"]: each["brings"] for each in document["advice"]}
    assert any(brings[-1].startswith("would have brought") for brings in promises.values())
    assert document["beginning"] == "adore"


def test_most_cuts_it_short_and_nothing_is_no_error(real: Zim) -> None:
    assert len(json.loads(real("advice", "k", "--json", "--most", "2").stdout)["advice"]) == 2
    nothing = real("advice", "k", "raise")
    assert (nothing.exit_code, nothing.stderr) == (0, "nothing stands out: `legal` lists what can be played\n")
