"""Changes of lines and names: commits, forks, amended moves, tags, archives, and how to take them back."""
