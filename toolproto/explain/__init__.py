"""Why a reply was read as it was: every character of it, every call, every repair.

``explain`` gives an :class:`Explanation`; ``as_json`` writes it down for programs and pages.
"""

from .as_json import as_json
from .reading import explain
from .streaming import in_chunks
from .values import Explanation, Finding, Part, PartKind, Step, Verdict

__all__ = [
    "Explanation",
    "Finding",
    "Part",
    "PartKind",
    "Step",
    "Verdict",
    "as_json",
    "explain",
    "in_chunks",
]
