"""The commands: one module each, whose docstring is the help of its command."""
