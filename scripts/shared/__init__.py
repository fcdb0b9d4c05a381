"""What several of these packages use."""
