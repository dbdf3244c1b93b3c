"""What strangers wrote cannot act: their text is defused, and calls that repeat it are doubted."""
