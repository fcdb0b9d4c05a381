"""The care of a store: checks and repairs of all games, and upgrades after the rules changed."""
