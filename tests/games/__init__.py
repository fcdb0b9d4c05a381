"""Recorded games, and small games of cards that keep the contract, for the kit of authors."""
