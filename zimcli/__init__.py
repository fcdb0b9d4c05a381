"""The terminal. It knows no rule and no SQL: everything comes through `zimcore.service` and the contract of a game."""

__version__ = "0.1.0"
