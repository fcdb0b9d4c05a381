"""Programs that play. A bot sees a position as its seat may see it, never the store."""
