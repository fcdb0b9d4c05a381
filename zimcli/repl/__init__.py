"""The prompt. Only `play` on a real terminal imports it: prompt-toolkit is slow to start.

In other words: REPL, shell.
"""
