"""What features add to the terminal: a module each, of the feature's name in `zimcore.features`.

It has a function for each of the feature's commands, by the name of the command; `RENDERERS` of its answers; and, if
there is any, `news`: what the prompt and the table show when something happens.
"""
