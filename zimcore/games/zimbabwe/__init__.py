"""The Great Zimbabwe (Splotter, 2012), for 2 to 5 players."""

from zimcore.toolkit.bundle import Bundle

GAME = Bundle(__name__, "zimbabwe", "The Great Zimbabwe", version="1")
