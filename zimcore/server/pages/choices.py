"""What can be done now: a list that narrows with each word, and what a whole command would cost and bring."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from zimcore.candidates import Candidate, Candidates, advice, candidates, meaning, rank_candidates
from zimcore.commits import Position
from zimcore.documents.problems import ProblemDetails
from zimcore.game import Advice, GameError, Seat, Table
from zimcore.server.pages.error_hints import fitting_hints
from zimcore.server.pages.steps import ghost_of
from zimcore.server.problem_responses import problem_of, refusal_problem
from zimcore.service import GameService, Viewer

MAX_OFFERS = 60
"""Words, or commands, that are offered at once."""
FEW_COMMANDS = 12
"""Commands at a square that are offered whole rather than by their next word."""
MAX_ADVICE = 4
WORD = re.compile(r"\w+")


class Offer(msgspec.Struct, frozen=True):
    """What may come next: the word, what the line is with it, and what it means."""

    word: str
    say: str
    means: str


class Preview(msgspec.Struct, frozen=True):
    """What a whole command comes to: its result, what would happen, who gets what; what it would throw away.

    `ghost` is what would be new on the board, drawn, with the result beside it.
    """

    text: str
    summary: str
    facts: Sequence[str]
    tables: Sequence[Table]
    waste: str = ""
    ghost: Sequence[str] = ()


class CommandMenu(msgspec.Struct, frozen=True):
    """The commands that begin as typed: what may come next, of `count` commands; squares that could be meant.

    `more` are offers that are left out. Only what names all of `squares` is counted and offered; `nowhere` is a square
    that was pointed at, and that nothing names which begins so.
    With a whole command its preview; with one that is not possible the problem, and the rules in it by their codes.
    """

    say: str
    count: int
    offers: Sequence[Offer]
    lit: Sequence[str]
    more: int = 0
    squares: Sequence[str] = ()
    nowhere: str = ""
    advice: Sequence[Advice] = ()
    preview: Preview | None = None
    problem: ProblemDetails | None = None
    rules: Mapping[str, str] = {}


def command_menu(
    service: GameService, position: Position, viewer: Viewer, seat: Seat, say: str, square: str = ""
) -> CommandMenu:
    """What a seat can do at the head of a line, after these words, at the squares that it has pointed at."""
    say = say.lstrip()
    found, squares, nowhere = at_squares(position, seat, say, square)
    so_far = complete_word(found, say)
    said = [each for each in advice(position, so_far, seat) if _names(each.text, squares)]
    count, text = found.count(so_far), whole_command(found.texts(so_far), say, squares)
    if squares and count <= FEW_COMMANDS:
        best = {each.text: at for at, each in enumerate(said)}
        texts = sorted(found.texts(so_far), key=lambda each: best.get(each, len(best)))
        after, worth = [Candidate(each, 1, each, whole=True) for each in texts], said[:0]
    else:
        worth = said[:MAX_ADVICE]
        after = rank_candidates(found.next(so_far), so_far, said)
    shown = [each for each in after[:MAX_OFFERS] if not text or each.text != say.strip()]
    made = CommandMenu(
        say=say,
        count=count,
        offers=[_offer(position, each, so_far, said, seat) for each in shown],
        lit=sorted(found.squares_to_light(so_far)),
        more=max(0, len(after) - MAX_OFFERS),
        squares=squares,
        nowhere=nowhere,
        advice=worth,
    )
    if text or (say.strip() and not count):
        return preview_command(service, position, viewer, seat, text or say.strip(), made)
    return made


def at_squares(position: Position, seat: Seat, say: str, square: str) -> tuple[Candidates, Sequence[str], str]:
    """The commands that name all squares that were pointed at, those squares, and "".

    Where none names all of them, those that name the last one; where none does that either, those that name the squares
    before it, and the last one instead of "". Squares that were typed are left out: they count anyway.
    """
    found = candidates(position, seat)
    squares = [each for each in square.split() if each not in WORD.findall(say.lower())]
    for some in filter(None, (squares, squares[-1:], squares[:-1])):
        if texts := [text for text in found.texts(say) if _names(text, some)]:
            return Candidates(texts, position.board), some, "" if squares[-1] in some else squares[-1]
    return found, (), squares[-1] if squares else ""


def _names(text: str, squares: Sequence[str]) -> bool:
    return all(each in text for each in squares) and {*squares} <= {*WORD.findall(text)}


def complete_word(found: Candidates, say: str) -> str:
    """What was said, with a space after a word that is whole if nothing else begins so and more follows.

    >>> found = Candidates(["bid 1", "bid 2", "pass"])
    >>> complete_word(found, "bid"), complete_word(found, "bi"), complete_word(found, "pass")
    ('bid ', 'bi', 'pass')
    """
    last = say.rpartition(" ")[2].lower()
    after = [each.word.lower() for each in found.next(say)] if last else []
    return f"{say} " if after in ([last], [last.replace("-", "_")]) and found.next(f"{say} ") else say


def _offer(position: Position, each: Candidate, so_far: str, said: Sequence[Advice], seat: Seat) -> Offer:
    head = so_far.rpartition(" ")[0]
    say = each.text if each.whole and each.number == 1 else f"{head} {each.word}".lstrip() + ("" if each.whole else " ")
    return Offer(each.word, say, _meaning_of(position, each, said, seat))


def _meaning_of(position: Position, each: Candidate, said: Sequence[Advice], seat: Seat) -> str:
    try:
        return f"{each.number:,} moves" if each.number > 1 else meaning(position, each, said, seat)
    except GameError:
        return ""  # it depends on hidden information


def whole_command(texts: Iterator[str], say: str, squares: Sequence[str] = ()) -> str:
    """The command that is meant: what was said, if it is one, or the only one that begins so; "" for neither."""
    first = [*islice(texts, 2)]
    if len(first) == 1 and (say.strip() or squares):
        return first[0]
    return say.strip() if say.strip() in first else ""


def preview_command(
    service: GameService, position: Position, viewer: Viewer, seat: Seat, text: str, choice: CommandMenu
) -> CommandMenu:
    """What a command would come to, or why it can't be played."""
    rules: Mapping[str, str] = {}
    try:
        seats = f"{seat}: " if len(position.to_move) > 1 else ""
        trial = service.try_(f"{position.place}@{position.commit.digest}", [seats + text], viewer)
        if trial.refused:
            rules = {rule.code: rule.text for rule in position.game.texts.rules()}
            problem = fitting_hints(refusal_problem(text, trial.refused), candidates(position, seat).count)
            return msgspec.structs.replace(choice, problem=problem, rules=rules)
        if trial.hidden:
            summary = f"it depends on hidden information: {trial.hidden}"
            return msgspec.structs.replace(choice, preview=Preview(text, summary, (), ()))
        after = trial.positions[-1]
    except GameError as error:
        problem = fitting_hints(problem_of(error), candidates(position, seat).count)
        return msgspec.structs.replace(choice, problem=problem)
    described = [*map(after.game.notation.describe, after.commit.events[1:])]
    tables, waste = _preview_tables(position, text), _waste(position, seat, after.commit.command)
    ghost = ghost_of(position, after)
    preview = Preview(after.commit.text, after.commit.summary, described, tables, waste, ghost)
    return msgspec.structs.replace(choice, preview=preview)


def _preview_tables(position: Position, text: str) -> Sequence[Table]:
    questions = position.game.questions
    if "preview" not in questions.QUESTIONS:
        return ()
    try:
        return [table for table in questions.ask(position.state, "preview", text.split()) if table.rows]
    except GameError:
        return ()


def _waste(position: Position, seat: Seat, command: object) -> str:
    try:
        return position.game.questions.waste(position.state, seat, command)
    except GameError:
        return ""
