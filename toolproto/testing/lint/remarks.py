"""What authors of tools should know of their definitions before a service or a model says it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...protocol.native.offers import short_name
from ...protocol.schemas.compiling import COMPILERS, Compiler, compiled
from ...protocol.tools.spec import ToolOffer, ToolSpec
from .stumbling import stumbles

__all__ = ["LintRemark", "lint_offer"]

#: llama.cpp's compiler gave up between 97,102 and 100,026 characters of tools, whatever was in
#: them: https://github.com/ggml-org/llama.cpp/issues/25895
_MOST_FOR_LLAMA = 97_000
_KINDS = ("refused", "misread", "stumbles")


@dataclass(frozen=True, slots=True)
class LintRemark:
    """One thing about a *tool*, at a *place* of its schema.

    *services* refuse it or misread it; where a model only *stumbles* over it there are none. The
    *source* shows that it is so. Without a tool it is about all of them together.
    """

    kind: Literal["refused", "misread", "stumbles"]
    tool: str
    place: str
    what: str
    services: tuple[str, ...] = ()
    source: str = ""


def lint_offer(offer: ToolOffer, services: Sequence[str] = tuple(COMPILERS)) -> list[LintRemark]:
    """Return what *services* refuse or misread in *offer*, then what models stumble over."""
    remarks = [each for tool in offer.tools for each in _of_tool(tool, services)]
    size = sum(len(json.dumps(dict(tool.parameters))) for tool in offer.tools)
    if "llama.cpp" in services and size > _MOST_FOR_LLAMA:
        what = f"{size:,} characters of schemas in one request"
        remarks.append(LintRemark("refused", "", "", what, ("llama.cpp",), "llama.cpp#25895"))
    said = [
        LintRemark("stumbles", tool, place, what) for tool, place, what in stumbles(offer.tools)
    ]
    return sorted([*remarks, *said], key=lambda each: _KINDS.index(each.kind))


def _of_tool(tool: ToolSpec, services: Sequence[str]) -> Iterator[LintRemark]:
    """Give what is wrong with one tool, once for all services that say the same of it."""
    found: dict[tuple[str, str, bool], list[tuple[str, str]]] = {}
    for name in services:
        for place, what, source, misread in _misfits(tool, COMPILERS[name]):
            found.setdefault((place, what, misread), []).append((name, source))
    for (place, what, misread), told in found.items():
        named = tuple(dict.fromkeys(name for name, _ in told))
        kind: Literal["refused", "misread"] = "misread" if misread else "refused"
        source = next((source for _, source in told if source), "")
        yield LintRemark(kind, tool.name, place, what, named, source)


def _misfits(tool: ToolSpec, compiler: Compiler) -> Iterator[tuple[str, str, str, bool]]:
    if short_name(tool.name, compiler) != tool.name:
        yield "", "a name that it does not allow", compiler.names_source, False
    for misfit in compiled(tool.parameters, compiler)[1]:
        yield misfit.place, misfit.what, misfit.source, misfit.misread
