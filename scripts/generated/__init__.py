"""Files of the project that are made from its code: the reference, the tables of the parser."""
