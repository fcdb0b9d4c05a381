"""Logs that somebody has kept: read leniently, replayed, and repaired by the fewest changes. Pure functions.

In other words: transcript, game record, PGN.
"""
