"""The table: a game in a full screen. Only `play` on a large enough terminal imports it.

In other words: TUI.
"""
