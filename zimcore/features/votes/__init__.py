"""Votes on a seat that is out of time: the others wait for it, let a program play it, or end the match as it stands.

In other words: adjudication, timeout.
"""
