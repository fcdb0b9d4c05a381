"""Programs that play. A bot sees a position as its seat may, and never the store."""
