"""Style files: how a club writes its logs, as TOML. `zim audit --learn` writes one, `--style` reads it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence

import click
import msgspec

from zimcli.session.session import Session
from zimcore.game import Game, GameError, NotationError
from zimcore.toolkit.printable import printable
from zimcore.toolkit.toml import read_toml
from zimcore.transcripts.log_styles import FIELDS, LogStyle
from zimcore.transcripts.style_questions import NO_MEANING, StyleQuestion, next_question
from zimcore.transcripts.verdicts import LineVerdict

MAX_QUESTIONS = 60
"""The most questions about the logs of one command."""
LogReader = Callable[[LogStyle], tuple[Game, Sequence[LineVerdict]]]
"""Reads a log in a style: its game, and the verdict on each line."""
ColumnQuestions = Callable[[LogStyle], Sequence[StyleQuestion]]
"""The questions about the columns of a log in a style; () where it knows them, or there are none."""


class StyleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A style as it is stored: what a log calls seats, what its words mean, what its columns hold ("" for nothing)."""

    seats: dict[str, str] = {}
    words: dict[str, str] = {}
    columns: dict[str, str] = {}


def read_style(path: str, text: str) -> LogStyle:
    """The style in a file. Raises `NotationError` for anything else."""
    try:
        style_file = msgspec.convert(read_toml(text), StyleFile)
    except ValueError as error:
        raise NotationError(path, f"this is no style: {str(error).lower()}", ["audit FILE --learn STYLE"]) from None
    if unknown_fields := {*style_file.columns.values()}.difference(FIELDS, {""}):
        reason = f"a column holds {', '.join(FIELDS)}, or nothing"
        raise NotationError(f"{path}: {min(unknown_fields)}", reason, ["audit FILE --learn STYLE"])
    sections = style_file.seats, style_file.words, style_file.columns
    return LogStyle(*({name.lower(): our_word.lower() for name, our_word in words.items()} for words in sections))


def write_style(style: LogStyle, open_questions: Sequence[StyleQuestion]) -> str:
    r"""A style as a file. What is still unknown is in comments, to be filled in.

    >>> print(write_style(LogStyle({"red": "kilwa"}, {"auf": ""}), []), end="")
    # How these logs are written: zim audit LOG --style FILE. A word of "" means nothing.
    [seats]
    red = "kilwa"
    <BLANKLINE>
    [words]
    auf = ""
    """
    lines = ['# How these logs are written: zim audit LOG --style FILE. A word of "" means nothing.']
    for kind, our_words in (("seats", style.seats), ("words", style.words), ("columns", style.columns)):
        if kind == "columns" and not our_words and not any(question.kind == kind for question in open_questions):
            continue
        lines += [*[""] * (kind != "seats"), f"[{kind}]", *map(toml_pair, our_words.items())]
        for question in open_questions:
            if question.kind == kind:
                lines.append(
                    f"# {toml_pair((question.word, question.guess))}"
                    f"  # line {question.line.number}: {printable(question.line.text)}"
                )
    return "\n".join(lines) + "\n"


def toml_pair(entry: tuple[str, str]) -> str:
    """A key and its value in TOML."""
    name, our_word = entry
    return f"{name if re.fullmatch(r'[a-z0-9_-]+', name) else toml_string(name)} = {toml_string(our_word)}"


def toml_string(text: str) -> str:
    """A text in TOML: as in JSON, but with the character DEL escaped, too."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")


def with_word(style: LogStyle, kind: str, word: str, our_word: str) -> LogStyle:
    """A style with one more seat, word or column."""
    return msgspec.structs.replace(style, **{kind: {**getattr(style, kind), word: our_word}})


def can_ask(session: Session) -> bool:
    """Whether there is a user to ask: at a terminal, and not behind a script or a pipe."""
    output = session.output
    return session.is_typed and sys.stdin.isatty() and sys.stderr.isatty() and not (output.json or output.quiet)


def ask_questions(
    session: Session, style: LogStyle, ask_columns: ColumnQuestions, read_log: LogReader
) -> tuple[LogStyle, list[StyleQuestion]]:
    """Asks about columns, then about the first line of each kind that can't be read, until all can be.

    Returns the style and the open questions. An empty answer takes the guess, or leaves the question open. Without a
    terminal it asks nothing.
    """
    questions, may_ask = list[StyleQuestion](), can_ask(session)
    for _ in range(MAX_QUESTIONS):
        known_words = {each.word for each in questions} | {*style.seats, *style.words}
        open_questions = ask_columns(style)  # as long as there are some, no line can be read
        question = next((each for each in open_questions if each not in questions), None)
        if not open_questions:
            question = next_question(*read_log(style), known_words)
        if question is None:
            break
        answer = ask_question(session, question) if may_ask else ""
        if answer is None:  # the user has had enough
            may_ask, answer = False, ""
        if answer:
            style = with_word(style, question.kind, question.word, answer.replace(NO_MEANING, ""))
        else:
            questions.append(question)
    return style, questions


QUESTION_STARTS = {"columns": "what is in the column", "seats": "who is", "words": "what is"}
"""How a question begins, by its kind."""


def ask_question(session: Session, question: StyleQuestion) -> str | None:
    """The answer to a question; "" if it stays open, None if the user wants no more questions."""
    line, choices = question.line, question.choices
    has_choices = question.kind != "words" or len(choices) > 1
    hint = f" ({', '.join(choices)})" if has_choices else f" ({NO_MEANING} for nothing)"
    session.show_note(f"line {line.number}: {line.text}")
    while True:
        question_text = f"{QUESTION_STARTS[question.kind]} {question.word}{hint}"
        try:
            answer: str = click.prompt(question_text, question.guess, err=True, show_default=True)
        except click.Abort:
            return None
        answer = answer.strip().lower()
        if question.kind == "words" or answer in (*choices, ""):
            return answer
        session.show_note(str(GameError(answer, f"it is none of {', '.join(choices)}")))
