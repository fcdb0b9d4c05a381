"""Who sends a request: accounts, tokens of seats, members of a game."""
