"""A call that a person changes: its arguments as JSON, checked before they count."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ...conversation.deciding.approvals import ApprovalRequest, call_digest
from ...protocol.foreign_text import visible
from ...protocol.messages import CallProblem, ToolCall
from ...protocol.tools.check import check_call
from ...protocol.tools.spec import ToolOffer

__all__ = ["CallDraft", "arguments_json", "form_draft", "form_lines"]


def arguments_json(call: ToolCall) -> str:
    """The arguments as JSON for an editor; what is not seen there is written as an escape."""
    text = json.dumps(dict(call.arguments), ensure_ascii=False, indent=2, default=str)
    return re.sub(r"[^\x00-\x7f]", lambda found: _escaped(found[0]), text) + "\n"


def _escaped(char: str) -> str:
    return char if visible(char) == char else json.dumps(char)[1:-1]


@dataclass(slots=True)
class CallDraft:
    """A call as far as it was changed.

    *text* is what was written last, sound or not; *changed* the call it makes, None as long as
    it is *original*. *check* says what is wrong with a call.
    """

    original: ToolCall
    check: Callable[[ToolCall], ToolCall | CallProblem]
    text: str = ""
    changed: ToolCall | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.text = self.text or arguments_json(self.original)

    @property
    def call(self) -> ToolCall:
        """What would run."""
        return self.changed or self.original

    def take(self, text: str) -> str:
        """Take *text* for the arguments; what is wrong with it, or nothing.

        Of what is wrong only the text is kept, to go on with.
        """
        self.text = text
        try:
            arguments = json.loads(text)
        except (ValueError, RecursionError) as error:
            return f"it is not JSON ({error})"
        if not isinstance(arguments, dict):
            return "the arguments must be an object, {…}"
        return self._checked(replace(self.original, arguments=arguments, repairs=()))

    def _checked(self, call: ToolCall) -> str:
        checked = self.check(call)
        if isinstance(checked, CallProblem):
            return checked.message
        same = call_digest(checked) == call_digest(self.original)
        self.changed = None if same else checked
        return ""


def form_draft(request: ApprovalRequest) -> CallDraft:
    """The values that a form asks for, to be changed: every one stands there, ``null`` if open."""
    offer = ToolOffer((request.tool,))
    every = {name: request.call.arguments.get(name) for name in request.tool.properties}

    def checked(call: ToolCall) -> ToolCall | CallProblem:
        given = {name: value for name, value in call.arguments.items() if value is not None}
        return check_call(replace(call, arguments=given), offer)

    return CallDraft(request.call, checked, arguments_json(replace(request.call, arguments=every)))


def form_lines(request: ApprovalRequest) -> list[str]:
    """What each value of a form is for."""
    lines: list[str] = []
    for name, schema in request.tool.properties.items():
        told = schema if isinstance(schema, dict) else {}
        kind = f" ({told['type']})" if isinstance(told.get("type"), str) else ""
        due = ", needed" if name in request.tool.required else ""
        said = told.get("description") or told.get("title") or ""
        lines.append(visible(f"  {name}{kind}{due}{f': {said}' if said else ''}"))
    return lines
