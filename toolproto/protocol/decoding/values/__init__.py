"""What a value means, and how JSON is read."""
