"""Tools for other people's programs: one exchange, inside an SDK, as a server."""

from ..public_names import open_lazily

__getattr__, __dir__ = open_lazily(__name__)
