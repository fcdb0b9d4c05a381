"""Exercises: turns of analysed games that gave something away, and when each is asked again.

An exercise is known by the digest of the last commit of its turn. In practice.json among the user's data stands how
often it was solved in a row, and the day from which it is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from zimcli.analysis_cache import documents, file_of, folder
from zimcli.files import write
from zimcore.documents.analysis import DecisionDocument, ExerciseDocument
from zimcore.game import Game, GameError

if TYPE_CHECKING:
    from zimcore.service import GameService

DAYS = (1, 3, 7, 21, 60)
"""Days until an exercise is asked again: the first after it was not solved, each further one after it was."""
BOT = "bot "
"""What the names of programs begin with in a log."""


class Progress(msgspec.Struct, frozen=True):
    """How an exercise stands: how often it was `solved` in a row, and the day from which it is asked again."""

    solved: int
    due: date


class Exercise(NamedTuple):
    """A turn or a bid that gave something away: the line it was played on, and where that is kept."""

    service: GameService
    game: Game
    place: str
    key: str
    turn: DecisionDocument

    def document(self, progress: Progress | None) -> ExerciseDocument:
        """It as a document."""
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


def exercises(service: GameService, places: Sequence[str], by: str, *, of_all: bool) -> Iterator[Exercise]:
    """The exercises of some lines, as far as an analysis of them is kept; those `of_all` who play, or of people.

    Where somebody with the name `by` has played, only theirs. Where cards are hidden a game has to be over first.
    """
    from zimcore.analysis.allowed import helps
    from zimcore.analysis.match_analysis import known_judgements
    from zimcore.service.visibility import EVERYTHING

    asked = set[str]()
    for place in places:
        begun = service.position(f"{place}@0", EVERYTHING)
        over = service.position(f"{begun.match}/{service.names(begun.match).first}", EVERYTHING).outcome.over
        game = begun.game
        if game.chances is None or not file_of([begun.commit]).exists() or not helps(service, begun.match):
            continue
        if game.secrets and not over:
            continue
        commits = service.log(place, viewer=EVERYTHING)
        found = known_judgements(folder(), game, commits)
        authors = {commit.digest: commit.by for commit in commits}
        for turn, each in zip(documents(game, commits, found), found, strict=True):
            key = each.decision.digest
            if turn.word and turn.best and key not in asked and (of_all or is_own(authors, key, by)):
                asked.add(key)
                yield Exercise(service, game, place, key, turn)


def is_own(authors: Mapping[str, str], digest: str, by: str) -> bool:
    """Whether a turn is one to learn from: their own, or where they have not played one that no program played."""
    author = authors[digest]
    return author == by if by in authors.values() else not author.startswith(BOT)


def due_exercises(found: Sequence[Exercise], known: Mapping[str, Progress], today: date) -> list[Exercise]:
    """Those that are to be asked today: first what was asked before, the longest due first, then the worst ones."""
    asked = [each for each in found if each.key not in known or known[each.key].due <= today]
    last = date.max
    return sorted(asked, key=lambda each: (known[each.key].due if each.key in known else last, -each.turn.given))


def after_answer(before: Progress | None, tries: int, today: date) -> Progress:
    """How an exercise stands after it was asked: solved at a try (1 or 2), or with 0 not at all.

    >>> after_answer(None, 1, date(2026, 1, 1)), after_answer(Progress(1, date(2026, 1, 1)), 1, date(2026, 1, 1))
    (Progress(solved=1, due=datetime.date(2026, 1, 2)), Progress(solved=2, due=datetime.date(2026, 1, 4)))
    >>> after_answer(Progress(3, date(2026, 1, 1)), 0, date(2026, 1, 1))
    Progress(solved=0, due=datetime.date(2026, 1, 2))
    """
    solved = before.solved if before else 0
    solved = 0 if tries == 0 else solved + 1 if tries == 1 else max(solved, 1)
    return Progress(solved, today + timedelta(days=DAYS[min(max(solved - 1, 0), len(DAYS) - 1)]))


def today() -> date:
    """The day."""
    return datetime.now(UTC).astimezone().date()


def practice_file() -> Path:
    """Where it is kept how exercises stand."""
    from platformdirs import user_data_path

    return user_data_path("zim", appauthor=False) / "practice.json"


def load_progress() -> dict[str, Progress]:
    """How exercises stand, by their keys. Raises `GameError` for a file that is not ours."""
    file = practice_file()
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Progress])
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise GameError(f"the exercises in {file} can't be read", str(error), ["practise --list"]) from error


def keep_progress(key: str, progress: Progress) -> None:
    """Keeps how an exercise stands; what was kept of the others meanwhile stays. Raises `OSError`, and `GameError` for
    a file that is not ours.
    """
    from zimcore.remote.client_files import lock_file

    file = practice_file()
    with lock_file(file):
        known = load_progress() | {key: progress}
        write(str(file), [msgspec.json.format(msgspec.json.encode(known))])
