"""The games, one folder each, and the registry: the only list of them."""
