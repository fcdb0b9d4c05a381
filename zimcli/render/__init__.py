"""Drawing what a game shows of itself. Everything is lines of styled spans; only colour needs more than a string."""
