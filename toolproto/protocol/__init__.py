"""What a model is told, and how its text is read: text in, events out."""
