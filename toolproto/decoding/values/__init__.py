"""JSON as it should be written, and as models write it."""
