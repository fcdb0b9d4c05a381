"""Lines of play as loaded from their streams: heads, clocks, copies, and who sees what."""
