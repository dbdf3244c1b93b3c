"""The ways in which the inside of a call is written, one module (or a few) for each."""
