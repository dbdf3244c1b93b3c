"""What is held against each other: a paradigm, how it is taught, and with examples or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...protocol.native import NativeTools
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.registry import get_paradigm
from .baseline import ArrayBaseline, Baseline

__all__ = ["ARRAY", "BASELINE", "BASELINES", "NATIVE", "Arm", "MakeParadigm"]

#: From a name, ``describe`` and ``teaching`` to a paradigm: :func:`~toolproto.get_paradigm`.
MakeParadigm = Callable[..., ToolContextDef]


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of asking: *paradigm*, taught as *teaching* says, its tools in the style *describe*.

    What is empty is as the paradigm has it. With *examples*, a request and its call stand before
    the conversation as two chat turns.
    """

    paradigm: str
    describe: str = ""
    examples: bool = True
    make: MakeParadigm = field(default=get_paradigm, compare=False, repr=False)
    teaching: str = ""

    @property
    def name(self) -> str:
        """``json_strict/eager/examples``: unlike that of any other arm."""
        if self.is_baseline:
            return self.paradigm
        parts = (self.paradigm, self.teaching, self.describe, "examples" if self.examples else "")
        return "/".join(filter(None, parts))

    @property
    def is_baseline(self) -> bool:
        """Whether it is there to be beaten, and never chosen."""
        return self in BASELINES

    def made(self) -> ToolContextDef:
        """The paradigm."""
        told = {"describe": self.describe, "teaching": self.teaching}
        return self.make(self.paradigm, **{key: value for key, value in told.items() if value})


def _baseline(name: str, **options: Any) -> ToolContextDef:
    return ArrayBaseline(**options) if name == ArrayBaseline.name else Baseline(**options)


#: A JSON Schema dump with a generic pattern: what instructions must be better than.
BASELINE = Arm("baseline", "", False, _baseline)
#: The same, with "respond only with a JSON array": what small models follow best of all that people
#: write by hand, and what makes them call where nothing is to be called.
ARRAY = Arm("array", "", False, _baseline)
BASELINES = (BASELINE, ARRAY)


def _native(name: str, **options: Any) -> ToolContextDef:
    return NativeTools(get_paradigm("json_strict", **options))


#: The tools of the service's own: they go there in its way, and nothing is taught.
NATIVE = Arm("native", "", False, _native)
