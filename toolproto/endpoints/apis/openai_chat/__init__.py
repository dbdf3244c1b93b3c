"""OpenAI's chat completions: as we ask for one, and as clients ask us."""
