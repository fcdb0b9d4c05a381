"""The shapes of every JSON answer, used by the terminal, the server and the schema.

A command answers with a Struct whose name ends in `Answer`; its parts have plain names. Readers skip fields that they
do not know: a shape keeps its fields and may get more. A field whose default is None is left out when it has no value.
Each purpose has a module of its own, so that a command imports few of them.
"""
