"""The user's settings: the file of settings, aliases, hooks, programs."""
