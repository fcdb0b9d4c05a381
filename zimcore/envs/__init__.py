"""Games as environments for reinforcement learning, in PettingZoo and OpenSpiel, made from the encoding of a game,
which is made from its fields if its package has none.

In other words: observation, action mask.
"""
