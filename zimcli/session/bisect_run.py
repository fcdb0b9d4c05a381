"""`bisect run`: finds the first move after which a program says no, as `git bisect run` does for changes of code."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from zimcli.output.errors import negative_answer_problem
from zimcli.session.command import PlaceCommand
from zimcli.session.session import Session
from zimcli.settings.programs import print_output, program_words, reason_of, run_program
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.history import BisectAnswer
from zimcore.documents.positions import position_document
from zimcore.game import GameError
from zimcore.history.bisect import BisectStep, Verdict, first_bad
from zimcore.history.history_documents import turning_point

RUN_WORD = "run"
SKIP_STATUS, MAX_BAD_STATUS = 125, 127
"""Exit statuses with a meaning, as for git: could not test this one; the last that means bad."""
HINTS = ("bisect PLACE run ./check.sh", "help bisect")


class BisectCommand(PlaceCommand):
    """Passes all words after `run` to the program, options too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts a `--` after `run`, so that the options of the program are not taken for those of zim."""
        argument_indexes = self.argument_indexes(args)
        index = next((index for index in argument_indexes[:2] if args[index] == RUN_WORD), None)
        if (
            index is not None
            and "--" not in args[:index]
            and self.runs_program(ctx, [args[argument_index] for argument_index in argument_indexes])
        ):
            args = [*args[: index + 1], "--", *args[index + 1 :]]
        return super().parse_args(ctx, args)

    def runs_program(self, ctx: click.Context, words: list[str]) -> bool:
        """Whether these words run a program. They don't if the first is the name of a game called `run`."""
        session = ctx.find_object(Session)
        return words[0] != RUN_WORD or words[1:2] == [RUN_WORD] or not (session and session.is_game(RUN_WORD))

    def names_its_place(self, session: Session, words: list[str]) -> bool:
        """Whether the first of the words is a place."""
        if words[:1] == [RUN_WORD] and not (session.is_game(RUN_WORD) and words[1:2] == [RUN_WORD]):
            return session.is_game(RUN_WORD)
        return super().names_its_place(session, words)


def bisect_run(session: Session, place: str, command: Sequence[str]) -> BisectAnswer:
    """Tests positions of a line with a program. Raises `GameError`, and `FailedError` if the end is good."""
    command_text = f"{RUN_WORD} {shlex.join(command)}"
    if not session.is_typed:
        reason = "programs are run only for a command that you type yourself, never for a script or a pipe"
        raise GameError(f"bisect {command_text}", reason, [f"zim bisect PLACE {command_text}"])
    if not command:
        raise GameError("bisect run", "name the program that tests a position", HINTS)
    words, position, commits = program_words(command, HINTS), session.position(place), session.log(place)
    line, statuses = place.partition("@")[0], dict[int, int]()

    def verdict_at(index: int) -> Verdict:
        tested_position = session.position(f"{line}@{commits[index].digest}")
        try:
            program_end = run_program(words, tested_position)
        except (OSError, ValueError) as error:
            raise GameError(words[0], f"it can't be run: {reason_of(error)}", HINTS) from None
        if not session.output.quiet:
            print_output(program_end.printed_text)
        statuses[index] = program_end.status
        if not 0 <= program_end.status <= MAX_BAD_STATUS:
            reason = (
                f"signal {-program_end.status} ended it"
                if program_end.status < 0
                else f"its exit status was {program_end.status}"
            )
            raise GameError(
                f"{words[0]} at {tested_position.place}@{commits[index].number}",
                f"{reason}, which stops a bisect",
                HINTS,
            )
        return "good" if program_end.status == 0 else "skip" if program_end.status == SKIP_STATUS else "bad"

    def bisect_step(index: int, *, holds: bool) -> BisectStep:
        return BisectStep(commits[index], holds, {"status": statuses[index]})

    last_index = len(commits) - 1
    with session.output.progress(f"bisecting {position.place}") as report:

        def test_commit(index: int) -> Verdict:
            verdict = verdict_at(index)
            report(len(statuses), (last_index + 1).bit_length() + 1)
            return verdict

        end_verdicts = test_commit(0), test_commit(last_index)
        for index, verdict in zip((0, last_index), end_verdicts, strict=True):
            if verdict == "skip":
                raise GameError(
                    f"{words[0]} at @{commits[index].number}", "it could not test an end of the line", HINTS
                )
        is_bad_at_start, is_bad_at_end = end_verdicts[0] == "bad", end_verdicts[1] == "bad"
        first_failure = first_bad(0, last_index, test_commit) if is_bad_at_end and not is_bad_at_start else None
    steps_around = (
        (bisect_step(first_failure.good_index, holds=False), bisect_step(first_failure.bad_index, holds=True))
        if first_failure
        else None
    )
    answer = BisectAnswer(
        bisect=command_text,
        at_start=is_bad_at_start,
        at_end=is_bad_at_end,
        first=turning_point(*steps_around) if steps_around else None,
        turns=(turning_point(*steps_around),) if steps_around else (),
        position=position_document(position),
        start={"status": statuses[0]},
        end={"status": statuses[last_index]},
        skipped=tuple(commits[index].number for index in range(first_failure.good_index + 1, first_failure.bad_index))
        if first_failure
        else (),
    )
    if not answer.first and not is_bad_at_start:
        raise FailedError(
            answer,
            negative_answer_problem("never", command_text, ["the program finds the last position good"], ["show"]),
        )
    return answer
