"""Records of a session, and what is made of them again."""
