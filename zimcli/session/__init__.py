"""A session: where commands run, in the shell, a script, a pipe, the prompt or the table."""
