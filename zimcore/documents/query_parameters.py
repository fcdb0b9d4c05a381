"""The query parameters of each question to the server, with bounds and descriptions."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

At = Annotated[str, Meta(max_length=64, description="A position: 12, -3, r4, start, or how its digest begins.")]
RequiredText = Annotated[str, Meta(min_length=1, max_length=500)]
Words = Annotated[str, Meta(max_length=200, description="The beginning of a command or a question.")]
Goals = Annotated[
    str, Meta(max_length=200, description='What to reach, after a seat\'s name if it is not its turn; "" for a list.')
]
Revision = Annotated[
    int, Meta(ge=-1, le=2**63 - 1, description="The last revision that you have; -1 if you have none.")
]

MAX_PAGE = 10_000
"""The most items of a list in one answer."""
Since = Annotated[
    int, Meta(ge=-1, le=2**31 - 1, description="Only what comes after this item, counted from 0; -1 for all.")
]
Limit = Annotated[int, Meta(ge=1, le=MAX_PAGE, description="At most this many items; Link has the next.")]


class Query(msgspec.Struct, frozen=True):
    """The parameters of a question. One that is left out has its default."""


class AtPlace(Query, frozen=True):
    """A position of a line: its head where `at` names no other."""

    at: At = ""


class PageQuery(Query, frozen=True):
    """A page of a list."""

    since: Since = -1
    limit: Limit = MAX_PAGE


class LogQuery(AtPlace, frozen=True):
    """The commits on the way to a position."""

    every: Annotated[bool, Meta(description="All commits of the line, undone ones too.")] = False
    facts: Annotated[bool, Meta(description="Adds what happened, in words.")] = False
    since: Since = -1
    limit: Limit = MAX_PAGE


class LegalQuery(AtPlace, frozen=True):
    """What is legal at a position, as far as it begins with some words."""

    beginning: Words = ""
    most: Annotated[int, Meta(ge=1, le=10_000, description="Stop after this many.")] = 1000
    sample: Annotated[int, Meta(ge=-1, le=2**63 - 1, description="Draw one with this seed; -1 for all.")] = -1


class WhyQuery(Query, frozen=True):
    """A square, a figure or an expression of a position."""

    what: RequiredText
    at: At = ""


class CompareQuery(Query, frozen=True):
    """A position, and another one of the same game."""

    other: Annotated[str, Meta(max_length=200, description="Another place: what-if, what-if@12, @4.")]
    at: At = ""


class BisectQuery(Query, frozen=True):
    """An expression, and the position up to which it is looked for."""

    expression: RequiredText
    at: At = ""


class PlanQuery(Query, frozen=True):
    """The goals for which a player plans at a position, as in `zim plan`."""

    goals: Goals = ""
    at: At = ""


class HintQuery(AtPlace, frozen=True):
    """How long to look for the best turns of a position."""

    nodes: Annotated[int, Meta(ge=1, le=500, description="Positions to look at.")] = 300


class CopyQuery(Query, frozen=True):
    """What a client has already of a line, of what was said around it (`heard`), and of its own notes (`noted`)."""

    after: Revision = -1
    heard: Revision = -1
    noted: Revision = -1
    limit: Annotated[int, Meta(ge=1, le=2000, description="At most this many entries; Link has the next.")] = 2000


class FeedQuery(Query, frozen=True):
    """The message after which a feed continues."""

    after: Annotated[str, Meta(max_length=24, description="The id of the last message you received.")] = ""
