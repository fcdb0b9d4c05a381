"""What the shell needs before a command is loaded: the list of commands, exit codes, typed words."""
