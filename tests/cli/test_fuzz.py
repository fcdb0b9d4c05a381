"""Random lines at the prompt, in a script or at the shell get an answer, or an error that says what was wrong.

They never meet a bug or leave a half write: the store can be read to its end, every line verifies, and a refused
move writes nothing. `pytest tests/cli/test_fuzz.py --hypothesis-profile=thorough` searches longer.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from event_store import EventStore
from tests.cli.conftest import TEST_GAMES
from zimcli.main import cli
from zimcli.output.errors import show_error
from zimcli.output.output import Output
from zimcli.repl.loop import Conversation
from zimcli.session.script import run_file
from zimcli.session.session import LeaveError, Session
from zimcli.shell.exit_codes import BUG
from zimcli.shell.registry import ENTRIES_BY_NAME
from zimcore.games.registry import GAMES
from zimcore.service import GameService

EXCLUDED_COMMANDS = {"demo", "tutorial", "db"}
"""Commands that go to another store, or take long."""
VERBS = """
start bid pass adore hire use build craft price raise end draw move join turn buy discard take quit ? # $game $nobody
"""
ARGUMENTS = """
g7 a1 z99 d4-d5 d4-e4-d5-e5 potter vessel_maker@d4/a1(potter@b1/a1) clay eshu herd kilwa zulu: kilwa: italy france:
cairo joker k k/main main what-if k@1 @1 @-1 @r1 @r1.zulu @start.. k/main@..2 @0..@1 @abcdef kilwa.vp >= leader() ==
(((( 0 1 -1 99999999999999999999 players=2 seed=7 --json --all --events --where --help - --svg --html --certificate
--jsonl --ops --op --skip --as --open --reach --hubs --legal --redeal --game --again file no/such/file
"""
KINDS = {"herd": {}, "zimbabwe": {"players": "2", "seed": "7"}, "africana": {"players": "2", "seed": "7"}}
"""Each game that is played, with its options."""

known_words = st.sampled_from([*ENTRIES_BY_NAME, *VERBS.split(), *ARGUMENTS.split()])
odd_words = st.text("'\"\\;:@#$()/=-. \t\x00\x0b\x1c\x85\u2028\ud7ff\U0001f98f", max_size=6)
words = known_words | known_words.map(lambda word: word[:3]) | st.text(max_size=8) | odd_words
lines = (
    st.lists(words, min_size=1, max_size=6).map(" ".join).filter(lambda line: not EXCLUDED_COMMANDS & set(line.split()))
)
search_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(autouse=True)
def isolated_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written to a temporary folder, and nothing can be read from a terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    kind_name: str = request.param
    return kind_name


def session_with_moves(kind: str) -> Session:
    """A session in which a game has begun, in memory, and two moves were made."""
    service = GameService(EventStore.open("memory:"), games={**GAMES, **TEST_GAMES})
    session = Session(Output(), by="anna", service=service)
    session.enter_position(service.new(kind, KINDS[kind], name="k", by="anna"))
    for _ in range(2):
        service.play("k", next(iter(service.position("k").legal().texts())), by="anna")
    return session


def count_entries(session: Session) -> int:
    """The number of entries in the store, after a check that all can be read and every line verifies."""
    service = session.maintenance_service("verify")
    assert not any(audit.fault for audit in service.verify_all())
    return sum(1 for _ in service.store.all_entries())


@contextmanager
def capture_output() -> Iterator[io.StringIO]:
    """Captures what is printed to stdout and stderr."""
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(output):
        yield output


def exit_code_of(session: Session, error: Exception) -> int:
    return 0 if isinstance(error, LeaveError) else show_error(error, session.output)


@search_settings
@example(typed_lines=["run \0"])  # found by a long search
@given(typed_lines=st.lists(lines, min_size=1, max_size=4))
def test_no_line_typed_at_the_prompt_is_a_bug(kind: str, typed_lines: list[str]) -> None:
    session = session_with_moves(kind)
    with capture_output() as output:
        Conversation(session).run_prompt_once(lambda _: "\n".join(typed_lines))
    assert "this is a bug" not in output.getvalue()
    count_entries(session)


@search_settings
@given(
    typed_line=lines.filter(lambda line: ";" not in line and line.strip() and line.split()[0] not in ENTRIES_BY_NAME)
)
def test_a_move_that_is_refused_writes_nothing(kind: str, typed_line: str) -> None:
    session = session_with_moves(kind)
    entries_before, exit_code = count_entries(session), 0
    with capture_output():
        try:
            session.run_line(typed_line)
        except Exception as error:
            exit_code = exit_code_of(session, error)
    assert exit_code != BUG
    assert count_entries(session) == entries_before or exit_code == 0


scripts = st.binary(max_size=60) | st.lists(lines, max_size=5).map(lambda lines: "\n".join(lines).encode())


@search_settings
@given(content=scripts)
def test_no_content_of_a_script_is_a_bug(kind: str, content: bytes) -> None:
    session, exit_code = session_with_moves(kind), 0
    Path("script.zim").write_bytes(content)
    with capture_output():
        try:
            run_file(session, "script.zim")
        except Exception as error:
            exit_code = exit_code_of(session, error)
    assert exit_code != BUG
    count_entries(session)


@search_settings
@given(
    typed_words=st.lists(words, max_size=5).filter(
        lambda typed_words: not EXCLUDED_COMMANDS & set(typed_words) and "\0" not in "".join(typed_words)
    )
)
def test_no_words_typed_at_the_shell_are_a_bug(kind: str, typed_words: list[str]) -> None:
    session = session_with_moves(kind)
    result = CliRunner().invoke(cli, typed_words, obj=session, prog_name="zim")
    assert result.exit_code in (0, 1, 2, 3, 4), result.output
    count_entries(session)
