"""What all calls have in common, however they are written."""
