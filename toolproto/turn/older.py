"""Records of older journals, as they would be written now.

Version 1 had what waited for a record, and the parts of a reply, in pairs within a list, a message
beside its position, and the rounds of a loop as lists of words. A turn that an older toolproto
began may have been gone on with by a newer one, so each record is looked at for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .packing import with_before
from .records import Record, write_loop

__all__ = ["renewed"]


def renewed(record: Record) -> Record:
    """*record*, which may be of any version, in the present one."""
    again = Record(record.kind, _renewed(record.kind, record.data))
    before = again.data.get("before")
    if before and isinstance(before[0], list):
        return with_before(again, (Record(kind, _renewed(kind, data)) for kind, data in before))
    return again


def _renewed(kind: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
    match kind:
        case "message" if "message" in data:
            return {**{name: data[name] for name in data if name != "message"}, **data["message"]}
        case "reply" if data["parts"] and isinstance(data["parts"][0], list):
            return {
                **data,
                "parts": [part for kind, text in data["parts"] for part in (kind, text)],
            }
        case "ended" if "loop" in data and isinstance(data["loop"]["rounds"], list):
            return {**data, "loop": write_loop(data["loop"])}
    return data
