"""What is held against each other: a paradigm, how it shows the tools, and with examples or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..paradigms.base import ToolContextDef
from ..paradigms.registry import get_paradigm
from .baseline import Baseline

__all__ = ["BASELINE", "Arm", "MakeParadigm"]

#: From a name and ``describe`` to a paradigm, as :func:`~toolproto.get_paradigm` does it.
MakeParadigm = Callable[..., ToolContextDef]


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of asking: *paradigm* with the tools shown in the style *describe*.

    With *examples*, a request and its call stand before the conversation as two chat turns.
    """

    paradigm: str
    describe: str = "forms"
    examples: bool = True
    make: MakeParadigm = field(default=get_paradigm, compare=False, repr=False)

    @property
    def name(self) -> str:
        """``json_strict/forms/examples``: unlike that of any other arm."""
        if self == BASELINE:
            return self.paradigm
        return "/".join((self.paradigm, self.describe, *(("examples",) if self.examples else ())))

    def made(self) -> ToolContextDef:
        """The paradigm."""
        return self.make(self.paradigm, describe=self.describe)


def _baseline(name: str, describe: str) -> ToolContextDef:
    return Baseline(describe=describe)


#: A JSON Schema dump with a generic pattern: what instructions must be better than.
BASELINE = Arm("baseline", "json_schema", False, _baseline)
