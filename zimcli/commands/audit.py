r"""Tell which lines of a log are legal, and what would make all so.

A log is a script, what `zim log` prints (as text or with --json), or a plain list of moves, a line each, as people
write them down: docs/auditing.md says how. It begins with how the game was set up (new players=3 seed=7), or is of the
game that --from names, from that position on. Lines that say no move are skipped. Seats and prices may be left out
where they follow: a line that can be read in several ways is ambiguous, and it is said which later line decides. A line
that does not stand is left out, and the next ones are asked without it.

With --repair the fewest changes are looked for after which the whole log stands, the likeliest first, as amend takes
them; --into writes the log after the first of them, as a script. Exit code 1 says that a log does not stand.

Example::

    zim log kilwa-7 > kilwa-7.log
    zim audit kilwa-7.log
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from zimcli import files
from zimcli.command import plain_command, viewer_options
from zimcli.errors import HIDDEN_HINTS, answer_is_no
from zimcli.exit_codes import FailedError
from zimcli.registry import ENTRIES
from zimcli.session import Session
from zimcli.shell_completion import Argument
from zimcore.documents.audits import AuditAnswer, AuditedLog
from zimcore.game import Game, NotationError
from zimcore.transcripts.log_lines import Transcript

MAX_LOG_BYTES = 8 * 2**20
"""Bytes of a log."""


@plain_command(__doc__)
@click.argument("paths", cls=Argument, nargs=-1, required=True, metavar="FILE...")
@click.option("--repair", is_flag=True, help="Propose the fewest changes after which the whole log stands.")
@click.option("--into", default="", metavar="FILE", help="Write the log after the first proposal.")
@click.option("--from", "start", default="", metavar="PLACE", help="The logs begin at this position.")
@click.option("--game", "kind", default="", metavar="KIND", help="What is played, where a log does not say so.")
@click.option("--all", "every", is_flag=True, help="Show the lines too that are plainly legal.")
@viewer_options
def command(
    session: Session, paths: Sequence[str], repair: bool, into: str, start: str, kind: str, every: bool
) -> AuditAnswer:
    """Audits; a log that does not stand is a failure."""
    if into and len(paths) > 1:
        raise click.UsageError("--into FILE is for one log.")
    logs = list[AuditedLog]()
    for path in paths:
        logs.append(audit_one(session, path, repair or bool(into), start, kind))
    answer = AuditAnswer(tuple(logs), every)
    fallen = [log for log in logs if not log.stands]
    if into:
        script = next((each.script for each in logs[0].proposals if each.whole), logs[0].script)
        if not script:
            raise FailedError(answer, no(fallen, repair=True))
        files.write(into, (f"{line}\n".encode() for line in script))
    if fallen:
        raise FailedError(answer, no(fallen, repair=repair or bool(into)))
    return answer


def no(fallen: Sequence[AuditedLog], *, repair: bool) -> Exception:
    """Which logs do not stand, each by its first line that does not."""
    why = []
    for log in fallen:
        bad = [each for each in log.lines if each.verdict not in ("legal", "ambiguous")]
        more = f", and {len(bad) - 1} after it" if len(bad) > 1 else ""
        why.append(f"{log.file}:{bad[0].number}: {bad[0].text}: {bad[0].verdict}{more}")
    what = f"{len(fallen)} {'log does' if len(fallen) == 1 else 'logs do'} not stand"
    hints: Sequence[str] = () if repair else [f"audit {fallen[0].file} --repair"]
    hidden = any(each.verdict == "hidden" for log in fallen for each in log.lines)
    return answer_is_no("illegal", what, why, HIDDEN_HINTS if hidden else hints)


def audit_one(session: Session, path: str, repair: bool, start: str, kind: str) -> AuditedLog:
    """Audits one log. Raises `GameError` for what is none."""
    from zimcore.transcripts import audit_documents
    from zimcore.transcripts.beginning import start_state
    from zimcore.transcripts.log_lines import kind_of, parse_log

    with files.reading(path) as file:
        content = file.read(MAX_LOG_BYTES + 1)
    if len(content) > MAX_LOG_BYTES:
        raise NotationError(path, f"a log has at most {MAX_LOG_BYTES >> 20} MiB", ["import FILE"])
    text = content.decode("utf-8-sig", errors="replace")
    place = session.on_a_line(session.whole(start)) if start else ""
    position = session.position(place) if place else None
    game = position.game if position else session.game(kind or kind_of(text))
    log: Transcript = parse_log(text, game, looking(game))
    begin = position.state if position else start_state(game, log)
    with session.out.progress(f"auditing {path}") as report:
        return audit_documents.audit_log(path, game, begin, log, repair=repair, report=report)


def looking(game: Game) -> set[str]:
    """The words of a script that play nothing."""
    return {entry.name for entry in ENTRIES if entry.only_looks} - {*game.notation.SYNTAX}
