"""One mapping of YAML that is, or may be, a call: which member is what, and when is it certain?

``tool:`` with the name of an offered tool is; with another name, or with ``name:`` for a key, it is
once the arguments follow. Everything else in a fence of YAML is somebody's configuration.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

from ...messages import CallProblem, Grade, ProblemKind, Repair, Span
from ...tools.spec import ToolSpec
from ..call_draft import CallSetting
from ..call_shape import as_object
from ..calls.pulled import malformed
from ..calls.sink import ArgumentSink
from ..strict import Refused

__all__ = ["YamlDraft"]

_NAME = re.compile(r"[^\s\"'{}\[\],]{1,128}")
_IDS = frozenset({"id", "call_id", "tool_call_id"})
# Members that go beside a call without being arguments of it.
_BESIDE = _IDS | {"type", "index", "step", "thought", "thoughts", "reasoning"}
_FLATTENED = Repair("flattened_arguments", Grade.GUESSED)


class YamlDraft:
    """A mapping whose text begins at *start* in the reply; *drift* is how it departs already.

    Raises :class:`Refused` where it turns out to be no call, or none that can be used.
    """

    def __init__(self, setting: CallSetting, start: int, drift: tuple[Repair, ...]) -> None:
        self._setting = setting
        self._start = start
        self._drift = list(drift)
        self._raw = StringIO()  # until the call takes it
        self._id = ""
        self._spoken = False  # is there a member for the arguments?
        self._early: list[tuple[str, Any]] = []  # arguments that came before the name
        self._beside: dict[str, Any] = {}  # members that may turn out to be arguments
        self.name = ""
        self.call: ArgumentSink | None = None

    @property
    def tool(self) -> ToolSpec | None:
        """The tool it calls, if that is known and on offer."""
        return self._setting.offered.get(self.name) if self.name else None

    def write(self, piece: str) -> None:
        """Take in more of its text."""
        if self.call is not None:
            self.call.write(piece)
        else:
            self._raw.write(piece[: self.room])

    @property
    def room(self) -> int:
        """How many more characters are read."""
        if self.call is not None:
            return self.call.room
        return self._setting.limits.characters - self._raw.tell()

    def mended(self, *repairs: Repair) -> None:
        """It departs from the asked form in this."""
        if self.call is not None:
            self.call.mended(*repairs)
        else:
            self._drift += [repair for repair in repairs if repair not in self._drift]

    # -- members --------------------------------------------------------------------------

    def heard(self, key: str) -> None:
        """A member is called *key*; its value comes."""
        shape = self._setting.shape
        if self.call is not None:
            return
        if self.name and (self.holds_arguments(key) or self._is_own(key)):
            self._announce()
            return
        leads = key in shape.name_keys or key in shape.list_keys or key in shape.nesting_keys
        if key not in _BESIDE and (self.name or not (leads or key in shape.argument_keys)):
            raise _no_call()

    def is_name(self, key: str) -> bool:
        """Would a string called *key* be the tool's name?"""
        return not self.name and key in self._setting.shape.name_keys

    def holds_arguments(self, key: str) -> bool:
        """Does a member called *key* hold the arguments?"""
        shape = self._setting.shape
        return key == shape.arguments or (key in shape.argument_keys and not self._is_own(key))

    def _is_own(self, key: str) -> bool:
        return self.tool is not None and key in self.tool.properties

    def member(self, key: str, value: Any) -> None:
        """The member *key* of the call is *value*."""
        if self.is_name(key) and isinstance(value, str):
            self._named(key, value)
        elif self.holds_arguments(key):
            self.spoke(key)
            repairs: list[Repair] = []
            arguments = as_object(value, repairs)
            if arguments is None:
                raise malformed("its arguments must be a mapping of keys")
            self.mended(*repairs)
            for name, each in arguments.items():
                self.argument(name, each)
        elif self._is_own(key):
            self.mended(_FLATTENED)
            self.argument(key, value)
        elif key in _IDS and isinstance(value, str):
            self._id = value
        elif key not in _BESIDE:
            self._beside[key] = value

    def spoke(self, key: str) -> None:
        """The member *key* holds the arguments."""
        self._spoken = True
        if key != self._setting.shape.arguments:
            self.mended(Repair("arguments_key", detail=key))

    def argument(self, key: str, value: Any) -> None:
        """The argument *key* is *value*."""
        if self.call is None:
            self._early.append((key, value))
        else:
            self.call.key(key)
            self.call.value(value)

    def takes_text(self, key: str, *, in_arguments: bool) -> ArgumentSink | None:
        """The call, if it can take the text of *key* while it comes."""
        if self.call is None or in_arguments:
            return self.call
        if self.holds_arguments(key) or not self._is_own(key):
            return None
        self.mended(_FLATTENED)
        return self.call

    # -- the call -------------------------------------------------------------------------

    def _named(self, key: str, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise _no_call()
        self.name = name.replace("\\_", "_")
        asked = key == self._setting.shape.name
        if not asked:
            self.mended(Repair("name_key", detail=key))
        if self._spoken or (asked and self._setting.offered.knows(self.name)):
            self._announce()

    def _announce(self) -> None:
        if self._setting.gated and not self._setting.offered.knows(self.name):
            raise _no_call()
        drift = tuple(self._drift)
        self.call = ArgumentSink(self._setting, self._start, self.name, id=self._id, drift=drift)
        self.call.write(self._raw.getvalue())
        for key, value in self._early:
            self.argument(key, value)

    def end(self, *repairs: Repair) -> None:
        """Nothing more belongs to it."""
        if self.call is None:
            if not self.name or self.tool is None or self.tool.required:
                raise _no_call()
            self._announce()
        assert self.call is not None, "just announced"
        if self._beside and not self._spoken:
            self.mended(_FLATTENED)
            for key, value in self._beside.items():
                self.argument(key, value)
        self.call.complete(*repairs)

    def reject(self, kind: ProblemKind, message: str) -> None:
        """It cannot be used; *message* is for the model."""
        if self.call is not None:
            self.call.reject(kind, message)
            return
        raw = self._raw.getvalue()
        span = Span(self._start, self._start + len(raw))
        problem = CallProblem(kind, message, raw, span, self.name or None)
        self._setting.outbox.rejected(None, problem)


def _no_call() -> Refused:
    return malformed("it does not say which tool")
