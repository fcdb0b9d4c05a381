"""Attacks on a store and a server, and the faults that they must find."""
