"""Anthropic's messages: as we ask for one, and as clients ask us."""
