"""The table: a game on a full screen. Only `play` in a large enough terminal imports it.

In other words: TUI.
"""
