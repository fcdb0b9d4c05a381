"""Learning from one's own games: practice, the end of a game, styles of logs, tables."""
