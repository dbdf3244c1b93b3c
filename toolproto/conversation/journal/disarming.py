"""Records of a session that came from elsewhere, without what they would allow.

A file can say that somebody approved something. Nobody here did: no tool is granted, no repetition
is tolerated, and calls that wait are asked about anew, in words of our own. Nor is anything in it
trusted: what it says that the user or a trusted tool said may be anybody's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..stores.base import Record
from .packing import in_pairs

__all__ = ["disarmed"]

_WAITS = "it waits in a session that was imported"
#: What says how far the answer to a question goes.
_OF_ANSWERS = ("asked", "pin", "before")


def disarmed(record: Record) -> Record:
    """*record*, which may be packed with others, without approvals."""
    data = dict(_without_approvals(record.data))
    if record.kind == "turn":
        data["imported"] = True
    if isinstance(data.get("led"), Mapping):
        data["led"] = {name: value for name, value in data["led"].items() if name != "nonce"}
    if "before" in data:
        data["before"] = [
            part
            for kind, said in in_pairs(data["before"])
            for part in (kind, _without_approvals(said) if isinstance(said, Mapping) else said)
        ]
    return Record(record.kind, data)


def _without_approvals(data: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in data.items() if name not in ("granted", "trusted")}
    if "loop" in kept:
        kept["loop"] = {**kept["loop"], "tolerated": ""}
    if kept.get("pending"):
        kept["pending"] = _asked_anew(kept["pending"])
    # Where a record has results; an outcome is one itself.
    if "results" in kept:
        kept["results"] = [_distrusted(each) for each in kept["results"]]
    if isinstance(kept.get("message"), Mapping):
        kept["message"] = _without_approvals(kept["message"])
    if "result" in kept:
        kept["result"] = _distrusted(kept["result"])
    return kept


def _distrusted(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "trusted"}


def _asked_anew(pending: Mapping[str, Any]) -> dict[str, Any]:
    waiting = {
        id: {name: said for name, said in each.items() if name not in _OF_ANSWERS}
        | {"reason": _WAITS}
        for id, each in pending["waiting"].items()
    }
    told = {
        name: {id: _distrusted(each) for id, each in pending[name].items()}
        for name in ("results", "unreviewed")
        if name in pending
    }
    return {**pending, "waiting": waiting, **told, "decisions": {}, "answered": {}}
