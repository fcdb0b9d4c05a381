"""The prompt without a terminal: what it offers, and how it reads a typed line."""

import asyncio
import errno
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory

from tests.cli.conftest import Zim
from zimcli.output.output import Output
from zimcli.repl.completion import ZimCompleter
from zimcli.repl.key_bindings import allow_interrupts, explaining_command
from zimcli.repl.loop import Conversation, draw_at_round_start
from zimcli.repl.status_bar import StatusBar
from zimcli.repl.style import shows_suggestions
from zimcli.repl.suggestion import HistorySuggester
from zimcli.session.locations import history_file
from zimcli.session.session import Session
from zimcli.settings.config import Config
from zimcore.service import GameService


@pytest.fixture
def session(service: GameService) -> Session:
    session = Session(Output(), by="anna", service=service)
    session.enter_position(service.new("herd", {}, name="k", by="anna"))
    return session


def run_prompt(session: Session, ask: Callable[[str], str]) -> bool:
    return Conversation(session).run_prompt_once(ask)


def fake_input(typed_text: str | type[BaseException]) -> Callable[[str], str]:
    def ask(prefilled_text: str) -> str:
        if isinstance(typed_text, str):
            return typed_text
        raise typed_text

    return ask


def completions(session: Session, text: str) -> list[str]:
    completer = ZimCompleter(session)
    completer.refresh()
    offers: Iterator[object] = completer.get_completions(Document(text), CompleteEvent())
    return [completion.text for completion in offers]  # type: ignore[attr-defined]


def test_first_words_of_the_game_are_offered_before_those_of_zim(session: Session) -> None:
    assert completions(session, "") == ["take", "help"]
    assert completions(session, "t") == ["take"]
    assert completions(session, "tr") == ["try"]
    assert {"board", "bot", "backup"} <= {*completions(session, "b")}


def test_help_has_the_words_of_the_game_first(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_prompt(session, fake_input("help"))
    text = capsys.readouterr().out
    assert (
        0 <= text.index(", legal now\n  take") < text.index(", at other times\n  build") < text.index("\nPlay\n  new ")
    )


def test_only_what_is_legal_now_is_offered(session: Session) -> None:
    assert completions(session, "take ") == ["1", "2", "3"]
    session.run_line("take 1")
    session.run_line("take 1")
    assert completions(session, "build a") == ["a1", "a2", "a3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("try take ", ["1", "2", "3"]),
        ("legal ta", ["take"]),
        ("switch ", ["main"]),
        ("undo ", ["main"]),
        ("explain take ", ["1", "2", "3"]),
        ("amend ", ["main"]),
        ("rules R-T", ["R-TUR-01"]),
        ("help l", ["legal", "leave", "league", "log", "lines", "learn"]),
        ("take 1 ", []),
        ("frobnicate ", []),
    ],
)
def test_completions_after_the_first_word(session: Session, text: str, words: list[str]) -> None:
    assert completions(session, text) == words


def test_the_prompt_shows_the_position(session: Session) -> None:
    status_bar = StatusBar(session)
    assert "".join(text for _, text, *_ in status_bar.prompt()) == "k main @0 · round 1 · Kilwa to act > "
    session.run_line("take 2")
    assert "".join(text for _, text, *_ in status_bar.prompt()) == "k main @1 · round 1 · Zulu to act > "
    assert status_bar.toolbar()[0] == ("", " herd 7 ")


def test_several_lines_are_run_one_by_one(session: Session) -> None:
    assert run_prompt(session, fake_input("take 2\n\n# a comment\ntake 1"))
    assert session.current is not None
    assert session.current.commit.number == 2


@pytest.mark.parametrize("text", ["take 9", "frob", "boom", "log --frob", "log @99", "'", "run /no/such/file", "t"])
def test_no_wrong_line_ends_the_prompt(session: Session, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert run_prompt(session, fake_input(text))
    output = capsys.readouterr()
    assert output.out == ""
    assert "try: " in output.err
    assert "Traceback" not in output.err


def test_hints_at_the_prompt_do_not_begin_with_zim(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_prompt(session, fake_input("take 9"))
    assert "try: legal take\n" in capsys.readouterr().err


def test_ctrl_c_goes_on_and_ctrl_d_leaves(session: Session) -> None:
    assert run_prompt(session, fake_input(KeyboardInterrupt))
    assert not run_prompt(session, fake_input(EOFError))
    assert not run_prompt(session, fake_input("quit"))


def test_moves_of_others_are_shown_at_the_prompt(
    session: Session, zim: Zim, capsys: pytest.CaptureFixture[str]
) -> None:
    zim("do", "k", "take 3")
    assert run_prompt(session, fake_input("take 1"))
    assert [line.split()[:3] for line in capsys.readouterr().out.splitlines()] == [
        ["meanwhile:"],
        ["1", "kilwa", "take"],
        ["2", "zulu", "take"],
    ]


def test_a_head_that_others_moved_meanwhile_is_a_conflict(
    session: Session, zim: Zim, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_prompt(session, fake_input("take 3"))
    capsys.readouterr()
    zim("undo", "k")
    assert run_prompt(session, fake_input("take 1"))
    assert capsys.readouterr().out.startswith("meanwhile: the head was moved to @0\n")


def test_a_leading_zim_does_no_harm_and_a_word_written_otherwise_is_recognised(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_prompt(session, fake_input("zim take 3"))
    assert "take 3" in capsys.readouterr().out
    assert run_prompt(session, fake_input("lgo"))
    assert "try: log · " in capsys.readouterr().err


def completion_meanings(session: Session, text: str) -> dict[str, str]:
    completer = ZimCompleter(session)
    completer.refresh()
    offers = completer.get_completions(Document(text), CompleteEvent())
    return {completion.text: completion.display_meta_text for completion in offers}


def test_the_last_word_of_a_command_is_offered_with_its_effect(session: Session) -> None:
    assert completion_meanings(session, "take ") == {"1": "+1 cattle", "2": "+2 cattle", "3": "+3 cattle"}
    assert completion_meanings(session, "ta")["take"] == "3 commands"


@pytest.mark.parametrize(
    ("text", "offered_words"),
    [
        ("goto @", {"@start", "@r1", "@end"}),
        ("log --e", {"--events"}),
        ("board --", {"--houses", "--row", "--legal", "--svg", "--png", "--json"}),
        ("help t", {"try", "turns"}),
        ("why kilwa.v", {"kilwa.vp"}),
        ("switch ", {"main"}),
        ("help bi", {"bisect"}),
    ],
)
def test_arguments_of_zim_commands_are_offered(session: Session, text: str, offered_words: set[str]) -> None:
    assert set(completion_meanings(session, text)) >= offered_words


@pytest.mark.parametrize(
    ("text", "suggested_text"), [("take", " 2"), ("build", None), ("lo", "g --all"), ("why", " nothing")]
)
def test_only_legal_moves_are_suggested(session: Session, text: str, suggested_text: str | None) -> None:
    history = InMemoryHistory()
    for line in ("log --all", "why nothing", "build z9", "take 2", "take 99"):
        history.append_string(line)
    buffer = Buffer(history=history)
    suggestion = HistorySuggester(session).get_suggestion(buffer, Document(text))
    assert (suggestion.text if suggestion else None) == suggested_text


def test_nothing_is_suggested_where_its_colour_can_not_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert shows_suggestions(Config())
    assert not shows_suggestions(Config(theme="plain"))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not shows_suggestions(Config())


def test_a_conflict_loses_nothing_that_was_typed(session: Session, zim: Zim) -> None:
    conversation, prefilled_texts = Conversation(session), []

    def ask(prefilled_text: str) -> str:
        prefilled_texts.append(prefilled_text)
        if not prefilled_text:
            zim("do", "k", "take 1")  # another player moves while this line is typed
        return "take 2\ntake 3"

    assert conversation.run_prompt_once(ask)
    assert conversation.pending_text == "take 2\ntake 3"
    assert conversation.run_prompt_once(ask)
    assert (prefilled_texts, conversation.pending_text) == (["", "take 2\ntake 3"], "")
    assert session.current is not None
    assert session.current.commit.number == 3


@pytest.mark.parametrize(("error_number", "goes_on"), [(errno.EIO, False), (errno.ENOENT, True)])
def test_a_prompt_ends_when_its_terminal_is_gone(session: Session, error_number: int, goes_on: bool) -> None:
    """Nobody could answer the next question, and asking for ever would keep a processor busy."""

    def fail_to_ask(_: str) -> str:
        raise OSError(error_number, os.strerror(error_number))

    assert run_prompt(session, fail_to_ask) is goes_on


def test_lines_after_a_failed_one_are_kept(session: Session) -> None:
    conversation = Conversation(session)
    assert conversation.run_prompt_once(fake_input("take 1\ntake 9\ntake 2\nboard"))
    assert conversation.pending_text == "take 2\nboard"


@pytest.mark.parametrize(
    ("typed_text", "explaining_line"),
    [
        ("log", "help log"),
        ("rules R-HER", "rules R-HER"),
        ("take", "legal take --most 24"),
        ("try b", "explain b"),
        ("explain b", "explain b"),
        ("rules", "help rules"),
        ("build r-her", "rules r-her"),
        ("build", "explain build"),
    ],
)
def test_a_question_mark_explains_what_is_typed(session: Session, typed_text: str, explaining_line: str) -> None:
    assert explaining_command(session, typed_text) == explaining_line


@pytest.mark.parametrize("code", ["A-MOVE", "a-move-02", "R-CRA"])
def test_a_question_mark_knows_the_codes_of_every_game(code: str) -> None:
    assert explaining_command(Session(Output()), f"move {code}") == f"rules {code}"
    assert explaining_command(Session(Output()), "craft potter d4-d5") == "help"


def test_the_board_is_drawn_where_a_round_or_a_turn_begins_and_not_after_each_line(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    is_drawn_at = dict[str, bool]()
    for line in ("take 1", "take 1", "build a1"):
        session.run_line(line)
        capsys.readouterr()
        draw_at_round_start(session)
        is_drawn_at[f"@{session.current.commit.number}" if session.current else ""] = bool(capsys.readouterr().out)
    has_marks_at = {f"@{commit.number}": bool(commit.marks) for commit in session.log("k")[1:]}
    assert is_drawn_at == has_marks_at
    assert set(is_drawn_at.values()) == {True, False}


def test_ctrl_c_stops_the_command_of_a_key_and_not_the_prompt() -> None:
    interrupted_parts = list[str]()

    async def prompt() -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, interrupted_parts.append, "prompt")
        with pytest.raises(KeyboardInterrupt), allow_interrupts():
            signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0)
        assert interrupted_parts == []
        signal.raise_signal(signal.SIGINT)
        while not interrupted_parts:
            await asyncio.sleep(0)
        loop.remove_signal_handler(signal.SIGINT)

    asyncio.run(prompt())
    assert interrupted_parts == ["prompt"]


def test_only_its_owner_can_read_what_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = history_file()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize("command", ["fork", "rename"])
def test_two_words_may_have_been_meant_as_one_name(
    session: Session, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    run_prompt(session, fake_input(f"{command} what if"))
    assert f"try: {command} what-if" in capsys.readouterr().err
    run_prompt(session, fake_input(f"{command} what-if"))
    assert "error" not in capsys.readouterr().err
