"""The matches of an arena, played by a worker, and their results as a document."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import asdict

from zimcore.bots.arena import MatchResult, holdings, play_match, standings
from zimcore.bots.process_pool import MatchBundle
from zimcore.bots.ratings import ratings
from zimcore.documents.play import ArenaAnswer, HoldingDocument, StandingDocument
from zimcore.service import game as game_of


def play_bundle(kind: str, seatings: MatchBundle) -> list[MatchResult]:
    """Plays matches one after another. Runs in a worker process."""
    return [play_match(game_of(kind), seating) for seating in seatings]


def arena_answer(
    kind: str, players: int, seed: int, results: Sequence[MatchResult], *, sure: bool | None = None, kept: str = ""
) -> ArenaAnswer:
    """The standings of the bots, with their ratings, and what winners held."""
    ratings_by_bot = ratings(results)
    standing_documents = tuple(
        StandingDocument(
            **asdict(standing),
            rating=bot_rating.strength if bot_rating else None,
            doubt=bot_rating.doubt if bot_rating else None,
        )
        for standing in standings(results)
        for bot_rating in (ratings_by_bot.get(standing.bot),)
    )
    return ArenaAnswer(
        game=kind,
        players=players,
        matches=len(results),
        seed=seed,
        standings=standing_documents,
        holdings=tuple(HoldingDocument(**asdict(each)) for each in holdings(results)),
        sure=sure,
        kept=kept,
    )
