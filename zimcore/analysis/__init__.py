"""What a program thinks of a match: every seat's chance to win, the best turn, what was given away."""
