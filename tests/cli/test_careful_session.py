"""The open parts of a turn, the question before you waste something, and joined commands."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from event_store import EventStore
from tests.cli.conftest import Zim
from zimcli.output.output import Output
from zimcli.repl.loop import Conversation
from zimcli.repl.status_bar import StatusBar
from zimcli.session.session import Session
from zimcli.shell.exit_codes import ProblemError, UnsureError
from zimcli.table.service_thread import ServiceThread
from zimcore.game import AmbiguousError
from zimcore.service import GameService

OPENING_MOVES = ("start c1", "start f1", "bid 1", "pass")


@pytest.fixture
def session() -> Iterator[Session]:
    """A session in a match at the beginning of its first turn."""
    with EventStore.open("memory:") as store:
        session = Session(Output(), by="anna", service=GameService(store))
        session.run_line("new k players=2 seed=1")
        session.run_line("; ".join(OPENING_MOVES))
        yield session


def head_number(session: Session) -> int:
    return session.head("k").commit.number


def test_commands_that_are_joined_are_played_one_after_the_other(session: Session) -> None:
    assert head_number(session) == len(OPENING_MOVES)
    with pytest.raises(AmbiguousError):
        session.run_line("adore eshu; e; undo")
    assert head_number(session) == len(OPENING_MOVES) + 1


def test_the_letters_u_and_r_undo_and_redo(session: Session) -> None:
    session.run_line("u")
    assert head_number(session) == len(OPENING_MOVES) - 1
    session.run_line("r; u 2; r 2")
    assert head_number(session) == len(OPENING_MOVES)
    session.run_line("u; pass; u; r")
    assert head_number(session) == len(OPENING_MOVES)


def test_a_careful_session_asks_before_a_seat_is_given_up(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.is_careful = True
    with pytest.raises(UnsureError) as error:
        session.run_line("leave --seat kilwa")
    assert error.value.problem.hints == ("Enter, if it is meant", "quit")
    assert "resigned" not in capsys.readouterr().out
    session.run_line("leave --seat kilwa")
    assert "kilwa has resigned" in capsys.readouterr().out


def test_a_move_of_another_phase_is_answered_with_those_of_now(session: Session) -> None:
    with pytest.raises(ProblemError) as error:
        session.run_line("bid 2")
    assert error.value.problem.hints == ("legal", "rules R-BID-02")


def test_a_careful_session_asks_once_before_an_action_is_thrown_away(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    session.is_careful = True
    with pytest.raises(UnsureError) as error:
        session.run_line("end")
    assert error.value.problem.why[0].text.startswith("no main action was taken, and you could build")
    assert head_number(session) == len(OPENING_MOVES)
    capsys.readouterr()
    session.run_line("end")
    assert head_number(session) == len(OPENING_MOVES) + 1
    assert capsys.readouterr().err == ""


def test_a_careful_session_asks_again_in_another_position(session: Session) -> None:
    session.is_careful = True
    for _ in range(2):
        with pytest.raises(UnsureError):
            session.run_line("end")
        session.run_line("adore eshu" if head_number(session) == len(OPENING_MOVES) else "undo")


def test_a_script_gets_an_error_instead_of_a_question(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.run_line("end")
    assert head_number(session) == len(OPENING_MOVES) + 1
    output = capsys.readouterr()
    assert output.err.startswith("no main action was taken")
    assert "no main action" not in output.out


def test_the_prompt_offers_the_questioned_line_again(session: Session) -> None:
    session.is_careful = True
    conversation, prefilled_texts = Conversation(session), list[str]()

    def fake_input(text: str) -> Callable[[str], str]:
        def read_line(prefilled_text: str) -> str:
            prefilled_texts.append(prefilled_text)
            return text

        return read_line

    conversation.run_prompt_once(fake_input("end"))
    conversation.run_prompt_once(fake_input("end"))
    assert prefilled_texts == ["", "end"]
    assert head_number(session) == len(OPENING_MOVES) + 1


def test_the_parts_of_the_turn_are_above_the_prompt_and_in_show(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    session.run_line("hire herd 2")
    prompt_text = "".join(text for _, text, *_ in StatusBar(session).prompt())
    assert prompt_text.splitlines()[0] == "✓ god: at most one card a turn  ✓ specialist: herd used  ▸ action: none yet"
    capsys.readouterr()
    session.run_line("show --ascii")
    assert "+ specialist: herd used  > action: none yet\n" in capsys.readouterr().out


def test_documents_have_the_parts_of_the_turn_and_what_was_wasted(zim: Zim, session: Session) -> None:
    from zimcli.commands.do import play_answer
    from zimcli.session.playing import play

    document: Any = play_answer(session, list(play(session, "k", ["end"])))
    assert [step.name for step in document.turn] == ["god", "specialist", "action"]
    assert len(document.wasted) == 1


def test_the_table_asks_too_and_keeps_the_line(session: Session) -> None:
    session.is_careful = True
    service_thread = ServiceThread(session, lambda _: None)
    position = session.position("k")
    first_result = service_thread.run_typed_line("end", position)
    assert (first_result.has_failed, first_result.offers_again) == (True, True)
    second_result = service_thread.run_typed_line("end", position)
    assert (second_result.has_failed, second_result.view.head.commit.number) == (False, len(OPENING_MOVES) + 1)
    service_thread.close()


def test_an_advised_command_is_not_asked_about(session: Session) -> None:
    session.is_careful, session.advised_commands = True, ("end",)
    service_thread = ServiceThread(session, lambda _: None)
    result = service_thread.run_typed_line("end", session.position("k"))
    assert (result.has_failed, result.view.head.commit.number) == (False, len(OPENING_MOVES) + 1)
    service_thread.close()
