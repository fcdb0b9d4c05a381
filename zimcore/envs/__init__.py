"""Games as environments for programs that learn: for PettingZoo and OpenSpiel, from the encodings of any game.

In other words: observation, action mask.
"""
