"""System prompts with tools in them, made once for all requests of an agent.

An agent sends the same prompt and the same tools with every request, and showing thirty tools to a
model takes 5 ms. Tools are known by identity, which asks nothing of their schemas: equal ones are
one object here (``endpoints/apis/serving/offering.py`` sees to it).
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress

from ...protocol.guard.neutralise import Neutraliser
from ...protocol.guard.neutralise_messages import neutral_offer
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.splice import unmarked
from ...protocol.tools.spec import ToolOffer

__all__ = ["system_prompt"]

_MOST_KEPT = 128
_LONGEST_KEPT = 64 * 1024
_Key = tuple[int, str, tuple[int, ...], str, bool, bool]
#: The paradigm and the offer are kept as well: while they are, nothing else has their identity.
_kept: OrderedDict[_Key, tuple[ToolContextDef, ToolOffer, str]] = OrderedDict()


def system_prompt(
    paradigm: ToolContextDef, system: str, offer: ToolOffer, made: Neutraliser | None = None
) -> str:
    """*system* with the tools of *offer*, as *paradigm* teaches them; neutral if *made* so."""
    tools = tuple(map(id, offer.tools))
    key = (id(paradigm), system, tools, offer.choice, offer.parallel, made is not None)
    if (kept := _kept.get(key)) is not None:
        with suppress(KeyError):  # another thread may have dropped it
            _kept.move_to_end(key)
        return kept[2]
    # No block of ours ever left the proxy: marks in a client's prompt are somebody's text.
    taught = neutral_offer(offer, made) if made else offer
    prompt = paradigm.splice_system_prompt(unmarked(system), taught)
    if len(prompt) <= _LONGEST_KEPT:
        _kept[key] = (paradigm, offer, prompt)
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return prompt
