"""What listeners are told: feeds, notices, web push."""
