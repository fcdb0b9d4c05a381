"""Games, and what can be done with their history."""
