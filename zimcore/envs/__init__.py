"""Games as environments for reinforcement learning, in PettingZoo and OpenSpiel, made from the encoding of a game.

In other words: observation, action mask.
"""
