"""Research on play: training, tuning, leagues of programs, ladders of strength."""
