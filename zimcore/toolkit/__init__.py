"""What any game may use: a bundle of parts, the rulebook of guards, marks of what is hidden, words, chance."""
