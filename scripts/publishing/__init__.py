"""Builds what is published, and checks it."""
