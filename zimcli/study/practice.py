"""Exercises: turns of analysed games that gave something away, and the date when each is asked again.

An exercise is identified by the digest of the last commit of its turn. The file practice.json in the user's data stores
how often in a row it was solved, and when it is due.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from event_store.outputs import write_file
from zimcli.session.analysis_cache import cache_file, cache_folder, judgement_documents
from zimcore.documents.analysis import DecisionDocument, ExerciseDocument
from zimcore.game import PROGRAM_AUTHOR_PREFIX, Game, GameError

if TYPE_CHECKING:
    from zimcore.service import GameService

DAYS_UNTIL_DUE = (1, 3, 7, 21, 60)
"""Days until an exercise is due again, by how often in a row it was solved; the first also after a failure."""


class Progress(msgspec.Struct, frozen=True):
    """Progress on an exercise: how often in a row it was `solved`, and the day on which it is due."""

    solved: int
    due: date


class Exercise(NamedTuple):
    """A turn or a bid that gave something away, with the line it was played on and the service of that line."""

    service: GameService
    game: Game
    place: str
    key: str
    turn: DecisionDocument

    def document(self, progress: Progress | None) -> ExerciseDocument:
        """The exercise as a document."""
        turn = self.turn
        return ExerciseDocument(
            place=f"{self.place}@{turn.first - 1}",
            seat=turn.seat,
            round=turn.round,
            commands=turn.commands,
            word=turn.word,
            given=turn.given,
            solved=progress.solved if progress else 0,
            due=progress.due if progress else None,
        )


def find_exercises(service: GameService, places: Sequence[str], by: str, *, of_all_players: bool) -> Iterator[Exercise]:
    """The exercises of some lines, as far as cached analyses go.

    With `of_all_players` they are the turns of every player, bots included. Else they are the turns of `by` or, if the
    user did not play on a line, those of people. Nothing may be hidden on the line any more.
    """
    from zimcore.analysis.help_permission import is_help_allowed
    from zimcore.analysis.match_analysis import known_judgements
    from zimcore.service.lines.visibility import EVERYTHING

    seen_digests = set[str]()
    for place in places:
        first_position = service.position(f"{place}@0", EVERYTHING)
        game = first_position.game
        if (
            game.chances is None
            or not cache_file([first_position.commit]).exists()
            or not is_help_allowed(service, first_position.match)
            or service.hides(place)
        ):
            continue
        commits = service.log(place, viewer=EVERYTHING)
        judgements = known_judgements(cache_folder(), game, commits)
        authors = {commit.digest: commit.by for commit in commits}
        for turn, judged_decision in zip(judgement_documents(game, commits, judgements), judgements, strict=True):
            key = judged_decision.decision.digest
            if (
                turn.word
                and turn.best
                and key not in seen_digests
                and (of_all_players or is_worth_learning_from(authors, key, by))
            ):
                seen_digests.add(key)
                yield Exercise(service, game, place, key, turn)


def is_worth_learning_from(authors: Mapping[str, str], digest: str, by: str) -> bool:
    """Whether a turn is one to learn from: the user's own, or if they played none, any turn of a person."""
    author = authors[digest]
    return author == by if by in authors.values() else not author.startswith(PROGRAM_AUTHOR_PREFIX)


def due_exercises(exercises: Sequence[Exercise], progress: Mapping[str, Progress], today: date) -> list[Exercise]:
    """The exercises due today: first those asked before, the longest overdue first, then new ones, the worst first."""
    exercises_due = [each for each in exercises if each.key not in progress or progress[each.key].due <= today]
    no_date = date.max
    return sorted(
        exercises_due, key=lambda each: (progress[each.key].due if each.key in progress else no_date, -each.turn.given)
    )


def next_progress(progress_before: Progress | None, tries: int, today: date) -> Progress:
    """The progress after an exercise was asked: `tries` is the try that solved it (1 or 2), or 0 if none did.

    >>> next_progress(None, 1, date(2026, 1, 1)), next_progress(Progress(1, date(2026, 1, 1)), 1, date(2026, 1, 1))
    (Progress(solved=1, due=datetime.date(2026, 1, 2)), Progress(solved=2, due=datetime.date(2026, 1, 4)))
    >>> next_progress(Progress(3, date(2026, 1, 1)), 0, date(2026, 1, 1))
    Progress(solved=0, due=datetime.date(2026, 1, 2))
    """
    times_solved = progress_before.solved if progress_before else 0
    times_solved = 0 if tries == 0 else times_solved + 1 if tries == 1 else max(times_solved, 1)
    days = DAYS_UNTIL_DUE[min(max(times_solved - 1, 0), len(DAYS_UNTIL_DUE) - 1)]
    return Progress(times_solved, today + min(timedelta(days=days), date.max - today))


def current_date() -> date:
    """Today's date in the local time zone."""
    return datetime.now(UTC).astimezone().date()


def practice_file() -> Path:
    """The file with the progress on all exercises."""
    from platformdirs import user_data_path

    return user_data_path("zim", appauthor=False) / "practice.json"


def load_progress() -> dict[str, Progress]:
    """The progress on exercises, by key. Raises `GameError` for a file that can't be decoded."""
    file = practice_file()
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Progress])
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise GameError(f"the exercises in {file} can't be read", str(error), ["practise --list"]) from error


def save_progress(key: str, progress: Progress) -> None:
    """Saves the progress on an exercise, under a lock. The progress on other exercises is kept.

    Raises `OSError`, and `GameError` for a file that can't be decoded.
    """
    from zimcore.remote.client_files import lock_file

    file = practice_file()
    with lock_file(file):
        all_progress = load_progress() | {key: progress}
        write_file(file, [msgspec.json.format(msgspec.json.encode(all_progress))], replace=True)
