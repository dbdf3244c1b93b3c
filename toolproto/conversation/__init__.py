"""The chat loop: who decides, what runs, what is kept."""

from ..public_names import open_lazily

__getattr__, __dir__ = open_lazily(__name__)
