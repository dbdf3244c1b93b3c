"""Four strangers who follow the README and the guides to the letter, each from the built wheel."""
