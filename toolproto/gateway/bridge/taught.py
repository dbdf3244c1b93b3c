"""The paradigm that a model is taught, on the terms it is asked on."""

from __future__ import annotations

from functools import lru_cache

from ...protocol.native import NativeTools
from ...protocol.paradigms import ToolContextDef, get_paradigm
from ...protocol.paradigms.recommendations import recommend
from .terms import ModelTerms

__all__ = ["natively", "taught"]


@lru_cache(maxsize=256)
def taught(model: str, terms: ModelTerms) -> ToolContextDef:
    """The paradigm that *model* is taught. It holds no conversation, so all requests share it."""
    choice = recommend(model)
    name = choice.paradigm if terms.paradigm == "auto" else terms.paradigm
    auto = terms.paradigm == "auto"
    return get_paradigm(
        name,
        describe=terms.describe or (choice.describe if auto else None),
        teaching=terms.teaching or (choice.teaching if auto else None),
        salvage=True,
    )


@lru_cache(maxsize=256)
def natively(paradigm: ToolContextDef) -> NativeTools:
    """The tools of a service that has some, with *paradigm* for when they are of no use."""
    return NativeTools(paradigm)
