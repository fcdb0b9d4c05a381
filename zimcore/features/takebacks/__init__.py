"""Takeback requests: a player asks the others to take moves back, and when all of them agree it is done.

A request is for one revision of a line, and lapses when the line moves on. Players who have left and programs need not
agree. The terms of a game (`takebacks`) are in `zimcore.service.records.discussion`: they hold for every undo.

In other words: undo request.
"""
