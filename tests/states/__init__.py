"""The states of a game, each with a way on, through all doors."""
