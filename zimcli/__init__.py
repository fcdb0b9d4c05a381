"""The terminal. It contains no game rules and no SQL: it uses `zimcore.service` and the contract of a game."""

__version__ = "0.1.0"
