"""The command menu of a page: a list that narrows with each word, and a preview of a complete command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from zimcore.candidates import Candidate, Candidates, advice, candidate_meaning, candidates, rank_candidates
from zimcore.commits import Position
from zimcore.documents.problems import ProblemDetails
from zimcore.game import Advice, Consequence, GameError, Seat, Table, Transfer
from zimcore.picture.pieces import art_of
from zimcore.picture.replay import figure_labels
from zimcore.server.pages.error_hints import with_fitting_hints
from zimcore.server.pages.log_entries import prose
from zimcore.server.pages.steps import ghost_of
from zimcore.server.wire.problem_responses import problem_of, refusal_problem
from zimcore.service import GameService, Viewer
from zimcore.toolkit.words import spaced

MAX_OFFERS = 60
"""The most words or commands offered at once."""
MAX_WHOLE_COMMANDS = 12
"""At most this many commands at a square are offered whole; more are offered by their next word."""
MAX_ADVICE = 4
"""The most advised commands shown above the offers."""
WORTH_LIMITS = (1.1, 0.6, 0.3, 0.1)
"""The shares of the advised squares that have at least worth 1, 2, 3 and 4."""
WORD_PATTERN = re.compile(r"\w+")

HIDDEN_EVENTS_TEXT = "what follows depends on hidden information"


class Offer(msgspec.Struct, frozen=True):
    """A continuation: the next word, the input line with it, and what it means."""

    word: str
    input_text: str
    meaning: str


class VerbButton(msgspec.Struct, frozen=True):
    """A verb in the row above the board's panel: its icon as SVG, and the input line with it, "" if it is not legal."""

    word: str
    icon: str
    input_text: str
    is_chosen: bool


class Preview(msgspec.Struct, frozen=True):
    """The preview of a complete command: what it does in plain words, tables of gains, what it would waste.

    `added_drawings` are SVG drawings of what would be new on the board, with the summary next to them. `transfers` say
    who would pay whom. `money_changes` says by how much each kind of the seat's money would change; payments to itself
    cancel out.
    """

    text: str
    prose: str
    tables: Sequence[Table] = ()
    waste: str = ""
    added_drawings: Sequence[str] = ()
    transfers: Sequence[Transfer] = ()
    money_changes: Mapping[str, int] = {}


class CommandMenu(msgspec.Struct, frozen=True):
    """The commands that begin with the typed `input_text`.

    `count` is their number, `offers` are their continuations, `omitted_count` is the number of offers left out.
    `next_squares` can be selected next; `worth` has the class of each, from 0 to 4. Only commands that name all of
    `squares` are counted and offered; `unmatched_square` is a selected square that no such command names. A complete
    command has a `preview`; an impossible one a `problem`.
    """

    input_text: str
    count: int
    offers: Sequence[Offer]
    next_squares: Sequence[str]
    omitted_count: int = 0
    squares: Sequence[str] = ()
    unmatched_square: str = ""
    worth: Sequence[int] = ()
    advice: Sequence[Advice] = ()
    preview: Preview | None = None
    problem: ProblemDetails | None = None


def command_menu(
    service: GameService,
    position: Position,
    viewer: Viewer,
    seat: Seat,
    typed_text: str,
    selected_squares_text: str = "",
) -> CommandMenu:
    """The menu for a seat at the head of a line, for `typed_text` and the selected squares."""
    typed_text = typed_text.lstrip()
    commands, squares, unmatched_square = commands_at_squares(position, seat, typed_text, selected_squares_text)
    text_with_space = complete_word(commands, typed_text)
    advised_commands = [
        advised_command
        for advised_command in advice(position, text_with_space, seat)
        if _names_all_squares(advised_command.text, squares)
    ]
    count = commands.count(text_with_space)
    whole_command_text = whole_command(commands.texts(text_with_space), typed_text, squares)
    shown_advice: Sequence[Advice] = ()
    if squares and count <= MAX_WHOLE_COMMANDS:
        rank_by_text = {advised_command.text: rank for rank, advised_command in enumerate(advised_commands)}
        texts = sorted(commands.texts(text_with_space), key=lambda text: rank_by_text.get(text, len(rank_by_text)))
        continuations = [Candidate(text, 1, text, is_complete=True) for text in texts]
    else:
        shown_advice = advised_commands[:MAX_ADVICE]
        continuations = rank_candidates(commands.next_words(text_with_space), text_with_space, advised_commands)
    shown_texts = {advised_command.text for advised_command in shown_advice}
    if whole_command_text:
        shown_texts.add(typed_text.strip())
    is_verb_next = not text_with_space and not squares  # the verbs have a row of their own
    continuations = (
        []
        if is_verb_next or len(shown_advice) == count
        else [
            continuation
            for continuation in continuations
            if continuation.command_count > 1 or continuation.text not in shown_texts
        ]
    )
    shown_continuations = continuations[:MAX_OFFERS]
    menu = CommandMenu(
        input_text=typed_text,
        count=count,
        offers=[
            _offer(position, continuation, text_with_space, advised_commands, seat)
            for continuation in shown_continuations
        ],
        next_squares=(next_squares := sorted(commands.squares_to_light(text_with_space))),
        worth=worth_of_squares(next_squares, advised_commands),
        omitted_count=max(0, len(continuations) - MAX_OFFERS),
        squares=squares,
        unmatched_square=unmatched_square,
        advice=shown_advice,
    )
    names_square = squares or not commands.square_bits.keys().isdisjoint(WORD_PATTERN.findall(typed_text.lower()))
    if names_square and count and not whole_command_text:  # the best there; the others are offered
        fitting_texts = (each.text for each in advised_commands if each.text.startswith(typed_text.strip().lower()))
        whole_command_text = next(fitting_texts, "")
    if whole_command_text or (typed_text.strip() and not count):
        return preview_command(service, position, viewer, seat, whole_command_text or typed_text.strip(), menu)
    return menu


def worth_of_squares(squares: Sequence[str], advised_commands: Sequence[Advice]) -> Sequence[int]:
    """How good the best command at each square is: 4 for the best tenth of the advised ones, 0 without advice.

    >>> worth_of_squares(["a1", "b2", "c3"], [Advice("build b2"), Advice("build c3")])
    [0, 4, 2]
    """
    known_squares, rank_by_square = {*squares}, dict[str, int]()
    for advised_command in advised_commands:
        for word in WORD_PATTERN.findall(advised_command.text):
            if word in known_squares:
                rank_by_square.setdefault(word, len(rank_by_square))
    shares = {square: rank / len(rank_by_square) for square, rank in rank_by_square.items()}
    return [sum(shares[square] < limit for limit in WORTH_LIMITS) if square in shares else 0 for square in squares]


def verb_buttons(position: Position, seat: Seat, menu: CommandMenu | None) -> Sequence[VerbButton]:
    """The verbs of this part of the match, in a fixed order; without a `menu` the seat is not to move."""
    art, first_words = art_of(position.game), {}
    if menu is not None:
        first_words = {candidate.word: candidate for candidate in candidates(position, seat).next_words("")}
    words = dict.fromkeys((*position.game.notation.verbs(position.state), *first_words))
    chosen_word = (menu.input_text.split() or [""])[0].lower() if menu else ""
    return [
        VerbButton(
            word=word,
            icon=art.icon(word),
            input_text=(word if first_words[word].is_complete and first_words[word].command_count == 1 else f"{word} ")
            if word in first_words
            else "",
            is_chosen=word == chosen_word,
        )
        for word in words
    ]


def commands_at_squares(
    position: Position, seat: Seat, typed_text: str, selected_squares_text: str
) -> tuple[Candidates, Sequence[str], str]:
    """The commands at the selected squares, the squares that they all name, and the last square if they don't name it.

    The commands name all selected squares; if there are none, the last square; if there are none either, the squares
    before it. Typed squares are left out, as the text selects them anyway.
    """
    all_commands = candidates(position, seat)
    squares = [
        selected_square
        for selected_square in selected_squares_text.split()
        if selected_square not in WORD_PATTERN.findall(typed_text.lower())
    ]
    for named_squares in filter(None, (squares, squares[-1:], squares[:-1])):
        if texts := [text for text in all_commands.texts(typed_text) if _names_all_squares(text, named_squares)]:
            unmatched_square = "" if squares[-1] in named_squares else squares[-1]
            return Candidates(texts, position.board), named_squares, unmatched_square
    return all_commands, (), squares[-1] if squares else ""


def _names_all_squares(text: str, squares: Sequence[str]) -> bool:
    return all(square in text for square in squares) and {*squares} <= {*WORD_PATTERN.findall(text)}


def complete_word(commands: Candidates, typed_text: str) -> str:
    """The typed text, with a space after its last word if that is complete, unique and has a continuation.

    >>> words = Candidates(["bid 1", "bid 2", "pass"])
    >>> complete_word(words, "bid"), complete_word(words, "bi"), complete_word(words, "pass")
    ('bid ', 'bi', 'pass')

    Before anything is typed, the word with which all commands begin is there already.

    >>> complete_word(Candidates(["bid 1", "bid 2"]), ""), complete_word(words, "")
    ('bid ', '')
    """
    if not typed_text:
        first_candidates = commands.next_words("")
        has_one_beginning = len(first_candidates) == 1 and not first_candidates[0].is_complete
        return f"{first_candidates[0].word} " if has_one_beginning else ""
    last_word = typed_text.rpartition(" ")[2].lower()
    next_words = [candidate.word.lower() for candidate in commands.next_words(typed_text)] if last_word else []
    return (
        f"{typed_text} "
        if next_words in ([last_word], [last_word.replace("-", "_")]) and commands.next_words(f"{typed_text} ")
        else typed_text
    )


def _offer(
    position: Position, candidate: Candidate, text_with_space: str, advised_commands: Sequence[Advice], seat: Seat
) -> Offer:
    words_before = text_with_space.rpartition(" ")[0]
    is_whole_command = candidate.is_complete and candidate.command_count == 1
    input_text = (
        candidate.text
        if is_whole_command
        else f"{words_before} {candidate.word}".lstrip() + ("" if candidate.is_complete else " ")
    )
    return Offer(candidate.word, input_text, _meaning_of(position, candidate, advised_commands, seat))


def _meaning_of(position: Position, candidate: Candidate, advised_commands: Sequence[Advice], seat: Seat) -> str:
    try:
        if candidate.command_count > 1:
            return f"{candidate.command_count:,} moves"
        return candidate_meaning(position, candidate, advised_commands, seat)
    except GameError:
        return ""  # it depends on hidden information


def whole_command(texts: Iterator[str], typed_text: str, squares: Sequence[str] = ()) -> str:
    """The only command that begins with the typed text, or else the text if it is a command; "" for neither."""
    first_texts = [*islice(texts, 2)]
    if len(first_texts) == 1 and (typed_text.strip() or squares):
        return first_texts[0]
    return typed_text.strip() if typed_text.strip() in first_texts else ""


def preview_command(
    service: GameService, position: Position, viewer: Viewer, seat: Seat, command_text: str, menu: CommandMenu
) -> CommandMenu:
    """The menu with the preview of a command, or with the reason why it can't be played."""
    try:
        seat_prefix = f"{seat}: " if len(position.to_move) > 1 else ""
        trial = service.try_(f"{position.place}@{position.commit.digest}", [seat_prefix + command_text], viewer)
        if trial.refused:
            problem = with_fitting_hints(refusal_problem(command_text, trial.refused), candidates(position, seat).count)
            return msgspec.structs.replace(menu, problem=problem)
        if trial.hidden:
            return msgspec.structs.replace(
                menu, preview=Preview(command_text, f"{spaced(command_text)}: {HIDDEN_EVENTS_TEXT}")
            )
        position_after = trial.positions[-1]
    except GameError as error:
        problem = with_fitting_hints(problem_of(error), candidates(position, seat).count)
        return msgspec.structs.replace(menu, problem=problem)
    tables, waste = _preview_tables(position, command_text), _waste(position, seat, position_after.commit.command)
    preview = Preview(
        text=position_after.commit.text,
        prose=prose(position_after.commit),
        tables=tables,
        waste=waste,
        added_drawings=ghost_of(position, position_after, _consequences(position, seat, position_after)),
        transfers=position_after.transfers,
        money_changes=money_changes(position, position_after, seat),
    )
    return msgspec.structs.replace(menu, preview=preview)


def money_changes(position_before: Position, position_after: Position, seat: Seat) -> Mapping[str, int]:
    """The change of each money figure of a seat that has a graph; unchanged and hidden ones are left out."""
    display = position_before.game.display
    names = [name for name in display.SERIES if name in display.MONEY]
    old_figures, new_figures = (
        position.game.display.figures(position.state, seat) for position in (position_before, position_after)
    )
    known_names = [
        name for name in names if isinstance(old_figures.get(name), int) and isinstance(new_figures.get(name), int)
    ]
    return {
        label: new_figures[name] - old_figures[name]
        for name, label in zip(known_names, figure_labels(position_before, known_names), strict=True)
        if new_figures[name] != old_figures[name]
    }


def _preview_tables(position: Position, command_text: str) -> Sequence[Table]:
    questions = position.game.questions
    if "preview" not in questions.QUESTIONS:
        return ()
    try:
        return [table for table in questions.ask(position.state, "preview", command_text.split()) if table.rows]
    except GameError:
        return ()


def _consequences(position: Position, seat: Seat, position_after: Position) -> Sequence[Consequence]:
    try:
        return position.game.questions.consequences(position.state, seat, position_after.commit.command)
    except GameError:
        return ()  # they depend on hidden information


def _waste(position: Position, seat: Seat, command: object) -> str:
    try:
        return position.game.questions.waste(position.state, seat, command)
    except GameError:
        return ""
