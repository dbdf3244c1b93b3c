"""A new paradigm with its tests, fixtures and snapshots, ready to be changed.

``wanted.py`` says what can be asked for, ``rendering.py`` what is written, and ``writing.py`` tries
it before anything is.
"""

from .wanted import PAYLOADS, NewParadigm
from .writing import Scaffolded, write_scaffold

__all__ = ["PAYLOADS", "NewParadigm", "Scaffolded", "write_scaffold"]
