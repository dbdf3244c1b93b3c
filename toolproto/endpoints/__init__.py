"""Model servers, and what their wires look like.

Over HTTP, in this process, as a function, scripted, recorded and replayed.
"""

from ..public_names import open_lazily

__getattr__, __dir__ = open_lazily(__name__)
