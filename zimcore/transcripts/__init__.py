"""Game logs that people have written down: parsed leniently, replayed, and repaired with the fewest changes.

All functions are pure.

In other words: transcript, game record, PGN.
"""
