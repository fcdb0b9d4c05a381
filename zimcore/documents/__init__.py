"""The shapes of all that is answered as JSON: one truth for the terminal, a server and the schema.

A command answers with one of the Structs whose name ends in `Answer`; what they are made of has plain names. Whoever
reads one skips what they do not know: a shape keeps what it has, and may grow. What a Struct has None for by default is
left out where there is nothing. A module each for what one wants to do, so that a command loads few of them.
"""
