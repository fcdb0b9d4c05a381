"""Practise the turns that gave something away in your games.

Each exercise is a position of a game that was analysed (see `analyse`; the table does it when a game is over). You are
asked for a better turn than the one that was played, and your answer is judged at once, as `hint` would judge it. After
two tries you see the best turn. An exercise comes back after 1, 3, 7, 21 and 60 days, or the next day if you did not
find the turn. `skip` goes on to the next, Ctrl-D leaves; `hint` and other commands that would help are off. Your games
stay as they are.

PLACE is a game or a line; without it, Zim asks about all your games. If you played under your name (`--by`), only your
own turns are exercises. --from asks about the sharpest turns of all players in another store. --list shows the
exercises and when they are due, and asks nothing; so does --json.

Example::

    zim practise --list
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from zimcli.session.command import argument, plain_command
from zimcli.session.session import Session
from zimcli.study.practice import Exercise, current_date, due_exercises, find_exercises, load_progress
from zimcli.study.task_session import TaskSession
from zimcore.documents.analysis import PracticeAnswer
from zimcore.game import GameError
from zimcore.service import GameService


@plain_command(__doc__)
@argument("place", default="", required=False)
@click.option("--from", "other_store", default="", metavar="STORE", help="Ask about the games of that store.")
@click.option(
    "--most",
    "max_count",
    type=click.IntRange(1, 1000),
    default=10,
    metavar="NUMBER",
    help="The most exercises at once (10).",
)
@click.option("--all", "asks_all", is_flag=True, help="Also exercises that are not due.")
@click.option("--list", "only_lists", is_flag=True, help="List the exercises, and ask nothing.")
@click.option("--lines", "asks_by_line", is_flag=True, help="Ask line by line.")
def command(
    session: Session, place: str, other_store: str, max_count: int, asks_all: bool, only_lists: bool, asks_by_line: bool
) -> PracticeAnswer | None:
    """Lists the exercises, or asks them at a terminal."""
    if session.level:
        raise GameError("practise begins in the shell", "it opens a table of its own", ["quit", "zim practise"])
    service = local_store_service(session, other_store)
    places = (
        [session.place_with_line(session.complete_place(place)).partition("@")[0]]
        if place
        else places_of_all_lines(service, session.by)
    )
    all_exercises, progress = (
        list(find_exercises(service, places, session.by, of_all_players=bool(other_store))),
        load_progress(),
    )
    if not all_exercises:
        raise no_exercises_error(service, places)
    if only_lists or session.output.json:
        return PracticeAnswer(tuple(each.document(progress.get(each.key)) for each in all_exercises))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise GameError(
            "practise needs a terminal", "you play the better turn there", ["practise --list", "practise --json"]
        )
    asked_exercises = (
        sorted(all_exercises, key=lambda each: -each.turn.given)
        if asks_all
        else due_exercises(all_exercises, progress, current_date())
    )
    if not asked_exercises:
        next_day = min(progress[each.key].due for each in all_exercises)
        raise GameError(
            "no exercise is due", f"the next one is from {next_day} on", ["practise --all", "practise --list"]
        )
    ask_exercises(session, asked_exercises[:max_count], asks_by_line=asks_by_line)
    return None


def local_store_service(session: Session, store: str) -> GameService:
    """Where the games are kept: on this machine."""
    if not store:
        return session.maintenance_service("practise", "practise --from sqlite:///PATH")
    return Session(session.output, store, session.by).maintenance_service("practise")


def places_of_all_lines(service: GameService, by: str) -> list[str]:
    """The lines of all games, the current one of each first."""
    games = [each for each in service.games(by=by) if each.line]
    line_names = {each.name: dict.fromkeys([each.line, *service.line_names(each.name)]) for each in games}
    return [f"{name}/{line}" for name, lines in line_names.items() for line in lines]


def no_exercises_error(service: GameService, places: Sequence[str]) -> GameError:
    """The error where there are no exercises, with what makes some."""
    played_matches = [
        *dict.fromkeys(place.partition("/")[0] for place in places if service.position(place).commit.number > 1)
    ]
    reason = "no kept analysis of these games says that a turn gave something away"
    return GameError(
        "there is nothing to practise", reason, [*(f"analyse {name}" for name in played_matches[-2:]), "play PLACE"][:2]
    )


def ask_exercises(session: Session, exercises: Sequence[Exercise], *, asks_by_line: bool) -> None:
    """Asks exercises, at the table or line by line."""
    from zimcli.study.practice_session import PracticeSession

    ask_tasks(PracticeSession(session.output, session.by, exercises), asks_by_line=asks_by_line)


def ask_tasks(tasks: TaskSession, *, asks_by_line: bool) -> None:
    """Asks tasks at the table or line by line, until all are done or the user leaves."""
    from zimcli.commands.play import can_open_table
    from zimcli.repl import loop

    config, problem = loop.load_settings()
    try:
        if not asks_by_line and can_open_table(config.screen):
            from zimcli.table.app import run_table

            run_table(tasks, config, problem, tasks.lesson())
        else:
            if problem:
                tasks.output.show_problem(problem)
            tasks.show_task()
            loop.run_prompt(tasks, config)
    finally:
        tasks.maintenance_service(tasks.purpose).store.close()
