"""Matches that other programs have recorded: found in a text, by all games that know such a program, and audited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from zimcore.documents.audits import AuditedLine, AuditedLog
from zimcore.game import Accepted, Event, Game, Recording
from zimcore.transcripts.verdicts import round_of


def find_recordings(
    games: Iterable[Game], text: str, options_of: Callable[[Game], Mapping[str, str]]
) -> Sequence[tuple[Game, Recording]]:
    """The recorded matches in a text, each with its game, set up with further options; () for a text without any.

    Raises `GameError` for a match that can't be read.
    """
    for game in games:
        reader = getattr(game, "recordings", None)  # games of other packages may be older than this part
        recordings = [(game, recording) for recording in reader.read(text, options_of(game))] if reader else []
        if recordings:
            return recordings
    return ()


def audit_recording(file: str, game: Game, recording: Recording) -> AuditedLog:
    """The audit of a recorded match: its moves as decided here, what it states wrongly, and where reading stopped."""
    lines = [*_move_lines(game, recording)]
    lines += [
        AuditedLine(
            number=each.entry + 1,
            text=each.what,
            verdict="legal",
            note=f"it says {each.stated}, and the result is {each.true}",
        )
        for each in recording.wrong
    ]
    stopped_at = recording.stopped_at
    if stopped_at:
        line = AuditedLine(
            number=stopped_at.entry + 1,
            text=stopped_at.text or f"entry {stopped_at.entry + 1}",
            verdict="illegal",
            seat=stopped_at.seat,
            round=round_of(game, recording.state),
            move=len(recording.moves),
            refusals=stopped_at.refusals,
        )
        lines.append(line)
    texts = (f"{move.seat}: {game.notation.format(move.command)}" for move in recording.moves)
    return AuditedLog(
        file=file,
        kind=game.name,
        stands=stopped_at is None,
        status=game.display.status(recording.state),
        lines=tuple(sorted(lines, key=lambda line: line.number)),
        script=(game.notation.format(recording.setup), *texts) if stopped_at is None else (),
        site=recording.site,
        entries=recording.entries,
        deviations=tuple(
            (each.entry + 1, ": ".join(filter(None, [each.option, each.text]))) for each in recording.deviations
        ),
        sheet=stopped_at.sheet if stopped_at else "",
        read_to=stopped_at.entry if stopped_at else recording.entries,
    )


def audit_history(
    file: str, game: Game, text: str, commits: Iterable[Sequence[Event]], status: str
) -> AuditedLog | None:
    """The audit of a history that a program shows as text, compared with the commits of a match.

    None for a text that is no history.
    """
    reader = game.recordings
    if reader is None or not reader.is_history(text):
        return None
    lines = text.split("\n")
    return AuditedLog(
        file=file,
        kind=game.name,
        stands=True,
        status=status,
        lines=tuple(
            AuditedLine(
                number=each.entry + 1,
                text=lines[each.entry].strip(),
                verdict="legal",
                note=f"it says {each.stated}, and the game has {each.true}",
            )
            for each in reader.differences(text, commits)
        ),
        read=("it is a history copied as text, and compared with the game",),
    )


def is_history(games: Iterable[Game], text: str) -> bool:
    """Whether a text is a history that a program shows, and that has too little to be played."""
    return any(reader.is_history(text) for game in games if (reader := getattr(game, "recordings", None)))


def _move_lines(game: Game, recording: Recording) -> Iterator[AuditedLine]:
    """A line for each move. Its game has decided it while reading; here it is decided again."""
    state = recording.first_state
    for number, move in enumerate(recording.moves, 1):
        decision = game.rules.decide(state, move.seat, move.command)
        assert isinstance(decision, Accepted), "a recording has legal moves only"
        text = game.notation.format(move.command)
        yield AuditedLine(
            number=move.entry + 1,
            text=text,
            verdict="legal",
            seat=move.seat,
            round=round_of(game, state),
            move=number,
            played=(text,),
        )
        state = decision.state
