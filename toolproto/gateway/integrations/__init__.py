"""Plugins for programs that look for them: :mod:`.llm`, tools for every model of ``llm``."""
