"""Africana, for 2 to 4 players, with hidden hands."""

from zimcore.toolkit.bundle import Bundle

GAME = Bundle(__name__, "africana", "Africana", version="1")
