"""Why a reply was read as it was: every character of it, every call, every repair.

``explain_reply`` gives an :class:`Explanation`; ``as_json`` writes it down for programs and pages.
``explain_batch`` explains a batch of Arrow.
"""

from .as_json import as_json
from .batches import explain_batch, explained_schema
from .reading import explain_reply
from .streaming import in_chunks
from .values import ExplainedStep, Explanation, Finding, Part, PartKind, Verdict

__all__ = [
    "ExplainedStep",
    "Explanation",
    "Finding",
    "Part",
    "PartKind",
    "Verdict",
    "as_json",
    "explain_batch",
    "explain_reply",
    "explained_schema",
    "in_chunks",
]
