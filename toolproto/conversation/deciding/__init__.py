"""Whether a call is asked about, and who answers."""
