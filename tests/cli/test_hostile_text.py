"""Text of other people can't control a terminal, forge a line of output or reverse the text next to it.

Texts of others come from stores and files: authors, signers, the names in a certificate.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from unicodedata import category

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from event_store import EventStore
from tests.cli.conftest import open_reproducible_service
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.game import Refused, Table
from zimcore.service import EVERYTHING, GameService
from zimcore.service.proofs import certificates, signatures
from zimcore.service.proofs.certificates import SeatKey
from zimcore.service.records import ed25519
from zimcore.toolkit.printable import printable

HOSTILE_CHARACTERS = "\x1b\r\n\t\x07\x08\x7f\x9b\x9d\x85\u2028\u2029\u200e\u202e\u2066\u2069\ufeff\u061c\x00"
HOSTILE_TEXTS = st.text(alphabet=f"{HOSTILE_CHARACTERS}ab[2J]0;<!-script>&'\"{{}}", min_size=1, max_size=14)
STYLE_CODES = re.compile(r"\x1b\[[0-9;]*m")
SIGNING_KEY = ed25519.key_from_bytes(b"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")

COMMANDS = (
    *("games", "lines k", "log k", "log k --ops", "log k --all", "log k --events", "show k", "show k@1", "events k"),
    *("story k", "stats k", "board k", "legal k", "verify k", "verify --all", "compare k/main what-if", "key list"),
    *("do k/main pass --expect 0000", "do k/main 'take 1' --id c1", "undo k --op ffff", "forget k/what-if"),
    *("show FILE", "verify FILE", "import FILE", "sign FILE", "show TEXT", "do k TEXT", "new TEXT", "fork k TEXT"),
    *("bisect k 'zulu.cattle > 1'", "bisect k TEXT", "expect k TEXT", "why k TEXT", "export k --certificate -"),
    *("--by TEXT games", "--as TEXT show k", "TEXT", "help TEXT", "rules TEXT", "run TEXT", "key trust TEXT TEXT"),
)


def is_harmless(text: str, *, styled: bool = False) -> bool:
    """Whether a text has no control characters except the ends of lines."""
    unstyled = STYLE_CODES.sub("", text) if styled else text
    return all(char == "\n" or (category(char)[0] not in "C" and char not in "\u2028\u2029") for char in unstyled)


def make_hostile_game(author: str) -> GameService:
    """A game by an author who writes hostile texts."""
    service = open_reproducible_service(EventStore.open("memory:"))
    service.new("herd", {"seed": "7"}, name="k", by=author)
    for text in ("take 1", "take 2"):
        assert not isinstance(service.play("k", text, by=author, command_id="c1" if text == "take 1" else ""), Refused)
    service.fork("k@1", "what-if", by=author)
    service.play("k/what-if", "take 3", by=author)
    service.undo("k/main", by=author)
    service.redo("k/main", by=author)
    return service


def make_certificate(service: GameService, text: str) -> bytes:
    """A certificate of the game with hostile names and signers."""
    certificate = service.certificate("k/main", EVERYTHING)
    keys = (SeatKey(text, text, 0),)
    header = certificates.seal_header(
        msgspec.structs.replace(certificate.header, game=text, line=text, rules=text, keys=keys)
    )
    signed_certificate = signatures.sign_certificate(
        msgspec.structs.replace(certificate, header=header), SIGNING_KEY, text, text
    )
    return certificates.to_bytes(signed_certificate)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=HOSTILE_TEXTS)
def test_the_terminal_shows_any_text_that_a_player_writes(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    file = tmp_path / "k.cert"
    service = make_hostile_game(text)
    for command in COMMANDS:
        file.write_bytes(make_certificate(service, text))
        replacements = {"FILE": str(file), "TEXT": text.replace("\0", "a")}  # no shell can pass a NUL
        typed_words = [replacements.get(word, word) for word in shlex.split(command)]
        for options in ([], ["--json"], ["--color", "always"]):
            session = Session(Output(), by="anna", service=service)
            result = CliRunner().invoke(cli, [*options, *typed_words], obj=session, prog_name="zim")
            for output in (result.stdout, result.stderr):
                assert is_harmless(output, styled="always" in options), (command, options, output)
            assert "this is a bug" not in result.stderr, (command, options, result.stderr)
            if options == ["--json"]:
                assert all(isinstance(json.loads(line), dict) for line in result.stdout.splitlines()), command


@given(HOSTILE_TEXTS)
def test_a_name_can_t_forge_a_line_of_an_answer(text: str) -> None:
    """The number of lines of an answer does not depend on the name."""

    def count_lines(author: str) -> int:
        session = Session(Output(), by="anna", service=make_hostile_game(author))
        return len(CliRunner().invoke(cli, ["log", "k", "--ops"], obj=session).stdout.splitlines())

    assert count_lines(text) == count_lines("ann")


@given(HOSTILE_TEXTS)
def test_a_hostile_text_adds_no_row_to_a_table(text: str) -> None:
    from contextlib import redirect_stdout
    from io import StringIO

    from zimcli.render.spans import Sheet

    buffer = StringIO()
    with redirect_stdout(buffer):
        Output().print_sheet(Sheet(Table(text, (text, "b"), ((text, text), ("a", "b")))))
    assert len(buffer.getvalue().split("\n")) == 5
    assert is_harmless(buffer.getvalue())


@given(st.text())
def test_printable_text_stays_as_it_is(text: str) -> None:
    assert printable(printable(text)) == printable(text)
    assert is_harmless(printable(text).replace("\u200c", "").replace("\u200d", ""))
