"""Columns of tables: what is a number and what is not belongs to the table, whatever rows it has at the moment."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from zimcore.documents.tables import NOTHING, NUMBER, table_document
from zimcore.game import Accepted, Event, Game, NotationError, Table
from zimcore.games import africana, zimbabwe

WORDS = {"reach": ["d4"], "plan": ["kilwa"]}


def tables(game: Game, seed: int) -> Iterator[Table]:
    """What a random game shows and answers on its way."""
    chance, commands = Random(seed), 0
    state, events = game.evolution.initial(), list[Event]()
    command: Any = game.rules.set_up({}, seed)
    seat = ""
    while command is not None and commands < 300:
        outcome = game.rules.decide(state, seat, command)
        assert isinstance(outcome, Accepted)
        state, commands = outcome.state, commands + 1
        events += outcome.events
        seat = next(iter(game.evolution.to_move(state)), "")
        if commands % 10 == 0:
            yield from game.display.tables(state)
            for question in game.questions.QUESTIONS:
                for words in ([], WORDS.get(question, [])):
                    yield from ask(game, state, question, words)
        command = game.rules.legal(state, seat).sample(chance)
    yield from game.questions.statistics(events)


def ask(game: Game, state: object, question: str, words: Sequence[str]) -> Sequence[Table]:
    try:
        return game.questions.ask(state, question, words)
    except NotationError:
        return ()


@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: game.name)
def test_a_column_is_of_numbers_or_never(game: Game) -> None:
    numbers, texts = dict[tuple[str, ...], set[str]](), dict[tuple[tuple[str, ...], str], set[str]]()
    for table in (table for seed in range(3) for table in tables(game, seed)):
        assert numbers.setdefault(table.heads, set(table.numbers)) == set(table.numbers)
        assert set(table.numbers) <= set(table.heads)
        for row in table.rows:
            for head, text in zip(table.heads, row, strict=True):
                texts.setdefault((table.heads, head), set()).add(text)
    assert numbers
    for (heads, head), phrases in texts.items():
        figures = {text for text in phrases if NUMBER.fullmatch(text)}
        if head in numbers[heads]:
            assert phrases - figures <= {*NOTHING, "?"}, (heads, head)
        else:
            assert not figures or phrases - figures - {*NOTHING}, f"{head} of {heads} has nothing but numbers"


def test_the_type_stays_where_a_question_leaves_few_rows_or_none() -> None:
    table = Table("", ("player", "price"), (("zulu", "3"), ("lozi", "-"), ("kilwa", "?")), numbers=("price",))
    types = {
        tuple(column.type for column in table_document(Table("", table.heads, rows, numbers=table.numbers)).columns)
        for rows in (table.rows, table.rows[1:], ())
    }
    assert types == {("text", "number")}
    assert table_document(table).columns[1].values == (3, None, None)
    bids = Table("", ("bid",), (("3",),))
    assert (table_document(bids).columns[0].type, table_document(bids).columns[0].values) == ("text", ("3",))
