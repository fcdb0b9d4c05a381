"""What any game may use: the rulebook of guards, the reading of words, chance that a seed decides."""
