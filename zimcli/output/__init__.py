"""Prints answers and problems: formats, colours, the pager, pictures."""
