"""Why a log is illegal: the lines that are wrong, and those that are illegal only because of them.

A line that fails often fails because of an earlier one: a seat that never ended its turn makes all later turns illegal.
The causes are the lines that the best repair changes. A line that is legal after that repair was a consequence.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from zimcore.transcripts.records import LogLine
from zimcore.transcripts.repair import Edit, Repair
from zimcore.transcripts.verdicts import LineVerdict


class Cause(msgspec.Struct, frozen=True):
    """A wrong line, the change that repairs it (None if none was found), and the lines illegal because of it."""

    line: LogLine
    edit: Edit | None = None
    consequences: tuple[LogLine, ...] = ()


def find_causes(line_verdicts: Sequence[LineVerdict], best_repair: Repair | None) -> list[Cause]:
    """The causes in the order of the log, with their consequences: every illegal line is one or the other.

    Without a repair the first illegal line is the cause of all others.
    """
    illegal_lines = [verdict.line for verdict in line_verdicts if verdict.verdict in ("illegal", "not understood")]
    if not illegal_lines:
        return []
    causes = [Cause(edit.line, edit) for edit in best_repair.edits] if best_repair else []
    if best_repair and not best_repair.is_whole:
        causes.append(Cause(best_repair.lines[best_repair.legal_line_count]))
    causes = sorted(causes or [Cause(illegal_lines[0])], key=lambda cause: cause.line.number)
    cause_numbers = {cause.line.number for cause in causes}
    # A wrong note makes no other line illegal.
    earlier_causes = [
        (index, cause) for index, cause in enumerate(causes) if not cause.edit or cause.edit.kind != "note"
    ]
    lines_by_cause: dict[int, list[LogLine]] = {index: [] for index in range(len(causes))}
    for line in illegal_lines:
        if line.number not in cause_numbers:
            lines_by_cause[
                max((index for index, cause in earlier_causes if cause.line.number < line.number), default=0)
            ].append(line)
    return [
        msgspec.structs.replace(cause, consequences=tuple(lines_by_cause[index])) for index, cause in enumerate(causes)
    ]
