"""The forms that models write, each a declaration; loaded when asked for by name."""
