"""The responses given lately, for clients that leave the memory of a conversation to the service.

OpenAI's clients may send ``previous_response_id``, or a reference to an item of an earlier
response, instead of what was said. Kept in this process only, each for the key it was given to,
within a number of bytes; ``store: false`` keeps nothing. Kept as JSON: as objects, what is 64 MB
long took 300, all of which was looked through for garbage again and again.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...endpoints.apis.asked import Asked, BadRequest
from ...endpoints.apis.openai_responses.answer import ResponsesAsked

__all__ = ["Answers"]

_Item = Mapping[str, Any]
_Place = tuple[str, str]


#: What keeping a response and each of its items takes beside their JSON, in bytes: ids, places.
_BESIDE = 512


@dataclass(frozen=True, slots=True)
class _Kept:
    """A response and all that was said before it, as JSON, and the ids of its items."""

    told: bytes
    before: bytes
    ids: tuple[str, ...]

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.told) + len(self.before) + _BESIDE * (1 + len(self.ids))

    @property
    def response(self) -> dict[str, Any]:
        """The response."""
        response: dict[str, Any] = json.loads(self.told)
        return response

    @property
    def said(self) -> list[_Item]:
        """What was said before it."""
        said: list[_Item] = json.loads(self.before)
        return said

    @property
    def items(self) -> list[_Item]:
        """The conversation up to its end."""
        return [*self.said, *self.response["output"]]


class Answers:
    """Keeps *most* bytes of responses; the oldest go first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._kept: OrderedDict[_Place, _Kept] = OrderedDict()
        #: In which response an item is, by their ids.
        self._items: dict[_Place, str] = {}

    def recalled(self, values: Mapping[str, Any], key: str | None) -> Mapping[str, Any]:
        """A request in which everything is said that it left to memory.

        Raises BadRequest for what is not remembered, in the words of the API.
        """
        owner, given = _owner(key), values.get("input")
        before = self._before(values.get("previous_response_id"), owner)
        if isinstance(given, list):
            given = self._looked_up(given, owner)
        if not before:
            return {**values, "input": given}
        return {**values, "input": [*before, *_listed(given)]}

    def remembering(self, asked: Asked, values: Mapping[str, Any], key: str | None) -> Asked:
        """*asked*, whose response is kept when it is whole; *values* are what it was read from."""
        if not isinstance(asked, ResponsesAsked) or not asked.store or not self._most:
            return asked
        owner, said = _owner(key), tuple(_listed(values.get("input")))
        return replace(asked, keep=lambda response: self._keep(owner, said, response))

    def response(self, id: str, key: str | None) -> Mapping[str, Any]:
        """The response *id*; BadRequest if there is none."""
        return self._found(id, key).response

    def said_before(self, id: str, key: str | None) -> Sequence[_Item]:
        """The items to which *id* was the response."""
        said = self._found(id, key).said
        return [{"id": f"item_{id}_{at}", **each} for at, each in enumerate(said)]

    def forget(self, id: str, key: str | None) -> None:
        """Keep *id* no longer; BadRequest if there is none."""
        self._found(id, key)
        self._drop((_owner(key), id))

    def _found(self, id: str, key: str | None) -> _Kept:
        kept = self._kept.get((_owner(key), id))
        if kept is None:
            told = f"Response with id '{id[:80]}' not found."
            raise BadRequest(told, "response_id", "response_not_found", 404)
        return kept

    def _before(self, id: Any, owner: str) -> list[_Item]:
        if not id:
            return []
        kept = self._kept.get((owner, id)) if isinstance(id, str) else None
        if kept is not None:
            self._kept.move_to_end((owner, id))
            return kept.items
        told = f"Previous response with id '{str(id)[:80]}' not found."
        raise BadRequest(
            f"{told} {self._remedy}", "previous_response_id", "previous_response_not_found"
        )

    def _looked_up(self, given: list[Any], owner: str) -> list[Any]:
        """*given*, with items where it refers to some."""
        # A response is read once, however many refer to it; and a few letters that each stand for
        # a long item must not become more than could be kept.
        read: dict[str, dict[str, tuple[_Item, int]]] = {}
        found, left = list[Any](), self._most
        for each in given:
            if not _is_reference(each):
                found.append(each)
                continue
            id, where = self._place_of(each.get("id"), owner)
            if where not in read:
                output = self._kept[owner, where].response["output"]
                read[where] = {item["id"]: (item, len(json.dumps(item))) for item in output}
            item, size = read[where][id]
            left -= size
            if left < 0:
                told = f"the items that input refers to are longer than {self._most} bytes"
                raise BadRequest(told, "input", "too_large", 413)
            found.append(item)
        return found

    def _place_of(self, id: Any, owner: str) -> tuple[str, str]:
        """*id*, and that of the response which has the item; BadRequest if none has."""
        where = self._items.get((owner, id)) if isinstance(id, str) else None
        if where is None:
            told = f"Item with id '{str(id)[:80]}' not found. {self._remedy}"
            raise BadRequest(told, "input", "item_not_found", 404)
        return id, where

    @property
    def _remedy(self) -> str:
        why = (
            "Responses are kept for a while, in one process, and not with `store: false`"
            if self._most
            else "Nothing is stored here"
        )
        return f"{why}: send the items of the earlier turns as input."

    def _keep(self, owner: str, said: tuple[_Item, ...], response: Mapping[str, Any]) -> None:
        # With all that was said before: an older response may be forgotten before this one.
        ids = tuple(item["id"] for item in response["output"])
        kept = _Kept(json.dumps(response).encode(), json.dumps(said).encode(), ids)
        if kept.size > self._most:
            return
        self._kept[owner, response["id"]] = kept
        self._size += kept.size
        for id in ids:
            self._items[owner, id] = response["id"]
        while self._size > self._most:
            self._drop(next(iter(self._kept)))

    def _drop(self, place: _Place) -> None:
        kept = self._kept.pop(place)
        self._size -= kept.size
        for id in kept.ids:
            self._items.pop((place[0], id), None)


def _owner(key: str | None) -> str:
    return hashlib.sha256((key or "").encode("utf-8", "replace")).hexdigest()


def _is_reference(item: Any) -> bool:
    if not isinstance(item, Mapping):
        return False
    return item.get("type") == "item_reference" or item.keys() == {"id"}


def _listed(given: Any) -> list[Any]:
    if isinstance(given, str) and given:
        part = {"type": "input_text", "text": given}
        return [{"type": "message", "role": "user", "content": [part]}]
    return list(given) if isinstance(given, list) else []
