"""Tool calling for any language model that can only read and write text.

Each public name is imported from its module when it is first asked for, so that a program, a
test run or the command line waits only for what it uses. The names stand in ``__init__.pyi``.
"""

from .public_names import open_lazily

__getattr__, __dir__ = open_lazily(__name__)
