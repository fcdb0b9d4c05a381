"""Building blocks for games: default parts, guards of rules, hidden fields, notation and random numbers."""
