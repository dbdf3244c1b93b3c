"""Schemas as a service compiles them.

A service that cannot compile the schema of one tool refuses the whole request. What it is sent is
therefore a projection; the tool's own schema still judges every call.
"""

from .compilers import COMPILERS
from .project import Misfit, compiled
from .rules import Compiler

__all__ = ["COMPILERS", "Compiler", "Misfit", "compiled"]
