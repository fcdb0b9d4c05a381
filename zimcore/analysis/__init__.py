"""How programs judge a match: every seat's chance to win, the best turn, and what each turn gave away."""
