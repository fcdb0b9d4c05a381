"""Renders what a game shows as lines of styled text. The same lines print plain or in colour."""
