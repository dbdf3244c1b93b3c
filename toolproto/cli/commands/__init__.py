"""One module for each command, imported when that command is asked for."""
