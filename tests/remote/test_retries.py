"""Writes with an id that are sent again to a server, after what their words leave out has changed."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from tests.remote.loopback_server import LoopbackServer
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session


class Retried(NamedTuple):
    """A command, other words that are not the same request, and the commands before it."""

    words: str
    other_words: str
    before: tuple[str, ...] = ()


RETRIED_COMMANDS = [
    Retried("ann: do k {take 1}", "ann: do k {take 2}"),
    Retried("ann: order k {take 2}", "ann: order k {take 1}"),
    Retried("ann: say k hello", "ann: say k goodbye"),
    Retried("ann: say k@1 hello", "ann: say k@2 hello"),
    Retried("ann: say k --note hello", "ann: say k --note goodbye"),
    Retried("ann: takeback k 2", "ann: takeback k 1"),
    Retried("ben: accept k", "ben: decline k", ("ann: takeback k 2",)),
    Retried("ben: decline k", "ben: accept k", ("ann: takeback k 2",)),
    Retried("ann: withdraw k", "ann: withdraw k 7", ("ann: takeback k 2",)),
    Retried("ben: undo k", "ben: redo k"),
    Retried("ben: redo k", "ben: undo k", ("ben: undo k",)),
    Retried("ben: goto k@1", "ben: goto k@2"),
    Retried("ann: fork k@1 idea", "ann: fork k@1 other"),
    Retried("ann: fork k idea", "ann: fork k@1 idea"),
    Retried("ann: amend k@1 {take 3}", "ann: amend k@1 {take 2}"),
    Retried("ann: pick k main@2", "ann: pick k main@1", ("ann: switch k/ann--plan",)),
    Retried("ann: rename k better", "ann: rename k worse", ("ann: switch k/ann--plan",)),
    Retried("ann: forget k/ann--plan", "ann: forget k/ann--spare"),
    Retried("ann: tag k opening", "ann: tag k@1 opening"),
]
CHANGES = ("ann: switch k/ann--spare", "ben: fork k@0 away", "ann: say k meanwhile", "ann: takeback k 1")


class Players:
    """Ann and Ben at terminals of their own; each command is a process of its own."""

    def __init__(self, server: LoopbackServer) -> None:
        self.server = server
        for seat in ("ann", "ben"):
            server.sit(seat)

    def run(self, line: str, *options: str) -> tuple[int, Any]:
        """Runs a command of a player, such as `ann: do k {take 1}`; returns exit code, and document or error."""
        seat, _, command = line.partition(": ")
        text, brace, braced = command.partition("{")
        words = [*text.split(), *([braced.rstrip("}")] if brace else []), *options]
        session = Session(Output(), by=f"{seat}-player", service=self.server.person(f"{seat}-player"))
        result = CliRunner().invoke(cli, [*words, "--json"], obj=session, prog_name="zim")
        return result.exit_code, result.stderr or json.loads(result.stdout)


@pytest.mark.parametrize("retried", RETRIED_COMMANDS, ids=lambda each: each.words)
def test_a_write_that_is_sent_again_means_what_it_meant_first(nim_server: LoopbackServer, retried: Retried) -> None:
    players = Players(nim_server)
    setup = ("ann: do k {take 1}", "ben: do k {take 1}", "ann: fork k@1 plan", "ann: fork k@1 spare")
    for line in (*setup, "ann: switch k/main", *retried.before):
        code, answer = players.run(line)
        assert code == 0, (line, answer)
    code, first_answer = players.run(retried.words, "--id", "c1")
    assert code == 0, first_answer
    for line in CHANGES:
        players.run(line)  # may be refused, as after `takeback`
    rows_before = [*nim_server.service.store.rows()]

    code, retry_answer = players.run(retried.words, "--id", "c1")

    assert code == 0, retry_answer
    if "position" in first_answer and "forget" not in retried.words:
        assert retry_answer["position"]["digest"] == first_answer["position"]["digest"]
    assert [*nim_server.service.store.rows()] == rows_before
    code, error = players.run(retried.other_words, "--id", "c1")
    assert code == 3, error
    assert "is taken" in error
    assert [*nim_server.service.store.rows()] == rows_before
