"""What a model is told, and how its text is read: text in, events out."""

from ..public_names import open_lazily

__getattr__, __dir__ = open_lazily(__name__)
