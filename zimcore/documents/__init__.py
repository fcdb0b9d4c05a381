"""The types of all JSON answers, for the terminal, the server and the schema.

A command answers with a Struct whose name ends in `Answer`; its parts have plain names. Types may get new fields, but
never lose one: readers ignore fields that they do not know. A field whose default is None is left out if it has no
value. There is one module for each purpose, so that a command imports only a few of them.
"""
