"""Departures: a player has left, and the match goes on: a program or another player takes the seat.

When all players but one have left, that one has won.

In other words: resignation, forfeit, abandonment.
"""
