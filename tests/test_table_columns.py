"""Columns of tables: whether a column is numeric depends on the table, not on its rows."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from zimcore.documents.tables import EMPTY_TEXTS, NUMBER, table_document
from zimcore.game import Accepted, Event, Game, NotationError, Table
from zimcore.games import africana, zimbabwe

QUESTION_ARGUMENTS = {"reach": ["d4"], "plan": ["kilwa"]}


def tables(game: Game, seed: int) -> Iterator[Table]:
    """What a random game shows and answers on its way."""
    rng, command_count = Random(seed), 0
    state, events = game.evolution.initial(), list[Event]()
    command: Any = game.rules.set_up({}, seed)
    seat = ""
    while command is not None and command_count < 300:
        outcome = game.rules.decide(state, seat, command)
        assert isinstance(outcome, Accepted)
        state, command_count = outcome.state, command_count + 1
        events += outcome.events
        seat = next(iter(game.evolution.to_move(state)), "")
        if command_count % 10 == 0:
            yield from game.display.tables(state)
            for question in game.questions.QUESTIONS:
                for words in ([], QUESTION_ARGUMENTS.get(question, [])):
                    yield from ask(game, state, question, words)
        command = game.rules.legal(state, seat).sample(rng)
    yield from game.questions.statistics(events)


def ask(game: Game, state: object, question: str, words: Sequence[str]) -> Sequence[Table]:
    try:
        return game.questions.ask(state, question, words)
    except NotationError:
        return ()


@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: game.name)
def test_a_column_has_numbers_in_all_tables_or_in_none(game: Game) -> None:
    number_columns, texts_by_column = dict[tuple[str, ...], set[str]](), dict[tuple[tuple[str, ...], str], set[str]]()
    for table in (table for seed in range(3) for table in tables(game, seed)):
        assert number_columns.setdefault(table.heads, set(table.numbers)) == set(table.numbers)
        assert set(table.numbers) <= set(table.heads)
        for row in table.rows:
            for head, text in zip(table.heads, row, strict=True):
                texts_by_column.setdefault((table.heads, head), set()).add(text)
    assert number_columns
    for (heads, head), cell_texts in texts_by_column.items():
        number_texts = {text for text in cell_texts if NUMBER.fullmatch(text)}
        if head in number_columns[heads]:
            assert cell_texts - number_texts <= {*EMPTY_TEXTS, "?"}, (heads, head)
        else:
            assert not number_texts or cell_texts - number_texts - {*EMPTY_TEXTS}, (
                f"{head} of {heads} has nothing but numbers"
            )


def test_a_column_keeps_its_type_with_few_rows_or_none() -> None:
    table = Table("", ("player", "price"), (("zulu", "3"), ("lozi", "-"), ("kilwa", "?")), numbers=("price",))
    types = {
        tuple(column.type for column in table_document(Table("", table.heads, rows, numbers=table.numbers)).columns)
        for rows in (table.rows, table.rows[1:], ())
    }
    assert types == {("text", "number")}
    assert table_document(table).columns[1].values == (3, None, None)
    bid_table = Table("", ("bid",), (("3",),))
    assert (table_document(bid_table).columns[0].type, table_document(bid_table).columns[0].values) == ("text", ("3",))
