"""Checks of the rules: recorded games, oracle, mutants, coverage of the books."""
