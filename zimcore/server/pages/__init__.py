"""Pages for browsers. Each calls the same handlers as `/v1`, with a token from a cookie."""
