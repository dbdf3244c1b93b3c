"""Ollama's chat and completions: as we ask for one, and as clients ask us."""
