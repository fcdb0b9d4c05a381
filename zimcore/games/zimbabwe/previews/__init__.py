"""Previews of bids, craftsmen, squares and the end of the round. They change nothing."""

from zimcore.games.zimbabwe.previews.bids import BidPreview, preview_bid
from zimcore.games.zimbabwe.previews.craftsmen import CraftsmanPreview, preview_craftsman
from zimcore.games.zimbabwe.previews.round_end import Standing, provisional_ranking, revenue_by_source
from zimcore.games.zimbabwe.previews.sights import RANGES, Sight, sights_from

__all__ = [
    "RANGES",
    "BidPreview",
    "CraftsmanPreview",
    "Sight",
    "Standing",
    "preview_bid",
    "preview_craftsman",
    "provisional_ranking",
    "revenue_by_source",
    "sights_from",
]
