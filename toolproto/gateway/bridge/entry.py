"""The way in for programs: what a text model is to be sent, and what its replies mean.

Nothing here waits or sends. ``Bridge("xml_tag").ask(messages, tools)`` gives an exchange: send its
``request``, feed what comes, and ``finish`` at the end of the reply; its ``verdict`` then is the
end, a failure, or that the model is to be asked again. :mod:`.driving` does that over an endpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...endpoints.apis.asked import Asked, BadRequest
from ...endpoints.apis.openai_chat.server import OpenAIChatApi
from ...endpoints.apis.serving.content import Sees, blind
from ...endpoints.apis.serving.reading import shape_of
from ...protocol.errors import UsageError
from ...protocol.guard.levels import guard_from
from ...protocol.messages import Message
from ...protocol.paradigms import ToolContextDef, get_paradigm
from ...protocol.tools.define import Tool
from ...protocol.tools.spec import ToolSpec
from .exchange import Exchange
from .terms import ModelTerms

__all__ = ["Bridge", "GivenMessage", "GivenTool"]

#: A message of ours, or as OpenAI's chat completions write it.
GivenMessage = Message | Mapping[str, Any]
#: A tool, what a model may know of one, or as OpenAI's chat completions write it.
GivenTool = Tool | ToolSpec | Mapping[str, Any]
_CHAT = OpenAIChatApi()


class Bridge:
    """Asks text models with tools, each time in *paradigm*, on *terms*.

    *paradigm* is one, or the name of one; then *terms* say how it describes and teaches. Holds no
    conversation, so threads and tasks may share it.
    """

    def __init__(
        self, paradigm: str | ToolContextDef = "xml_tag", terms: ModelTerms | None = None
    ) -> None:
        self.terms = terms or ModelTerms()
        self._guard = guard_from(self.terms.guard)
        if isinstance(paradigm, str):
            paradigm = get_paradigm(
                paradigm,
                describe=self.terms.describe,
                teaching=self.terms.teaching,
                salvage=True,
            )
        self.paradigm = paradigm

    def __repr__(self) -> str:
        return f"Bridge({self.paradigm.name!r})"

    def ask(
        self,
        messages: Sequence[GivenMessage],
        tools: Iterable[GivenTool] = (),
        choice: str | Mapping[str, Any] | None = "auto",
        *,
        parallel: bool = True,
        stream: bool = True,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
        params: Mapping[str, Any] | None = None,
        sees: Sees = blind,
    ) -> Exchange:
        """One answer to *messages*, by a model that may call *tools*.

        *choice* is ``auto``, ``required``, ``none``, the name of a tool, or OpenAI's
        ``tool_choice``. Without *stream* every call is checked, and mended, before it goes out.
        With a *schema* an answer in words is JSON that fits it. *params* are generation parameters
        in the words of the model's service. *sees* says which attachments the model can be shown;
        it is shown none unless you give it. UsageError for what cannot be asked.
        """
        offered = [_function(tool) for tool in tools]
        body = {
            "model": "model",
            "messages": _written(messages),
            "tools": offered,
            "tool_choice": _choice(choice, offered),
            "parallel_tool_calls": parallel,
            "stop": list(stop),
        }
        try:
            asked = _CHAT.read(body, sees)
            shape = None if schema is None else shape_of(schema, "schema")
        except BadRequest as error:
            raise UsageError(error.message) from None
        ours = tuple(each for each in messages if isinstance(each, Message))
        return self.exchange(
            replace(
                asked,
                messages=ours or asked.messages,
                stream=stream,
                shape=shape,
                params=dict(params or {}),
            )
        )

    def exchange(self, asked: Asked) -> Exchange:
        """The answer to what a client *asked* in an API of its own."""
        return Exchange(
            asked,
            self.paradigm,
            reasks=self.terms.reasks,
            examples=self.terms.examples,
            constrain=self.terms.constrain,
            guard=self._guard,
            only=self.terms.native == "only",
        )


_MODES = ("auto", "required", "none", "any")
_NOTHING = ({"role": "user", "content": "-"},)


def _written(messages: Sequence[GivenMessage]) -> list[Mapping[str, Any]]:
    """Messages as OpenAI writes them; a stand-in for those that are ours already."""
    written = [each for each in messages if not isinstance(each, Message)]
    if written and len(written) < len(messages):
        raise UsageError("some messages are toolproto's and some are mappings; use only one kind")
    return list(_NOTHING) if messages and not written else written


def _function(tool: GivenTool) -> Mapping[str, Any]:
    if isinstance(tool, Mapping):
        return tool
    spec = tool.spec if isinstance(tool, Tool) else tool
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
    }
    return {"type": "function", "function": function}


def _choice(choice: str | Mapping[str, Any] | None, offered: Sequence[Mapping[str, Any]]) -> Any:
    if not isinstance(choice, str) or choice in _MODES:
        return choice if offered or choice != "auto" else None
    return {"type": "function", "function": {"name": choice}}
