"""The prompt. Only `play` in a terminal imports it, because prompt-toolkit is slow to start.

In other words: REPL, shell.
"""
