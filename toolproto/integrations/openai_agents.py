"""A model for OpenAI's agents that has tools, made of any text model.

``Agent(name="…", model=ToolprotoModel(text_model, "xml_tag"), tools=[…])``: the text model is one
of our endpoints, a function, or the URL of a service that completes text. It is the SDK's own
Responses model, whose requests a transport answers in this process. Tested with openai-agents 0.24.
"""

from __future__ import annotations

from typing import Any

from agents import OpenAIResponsesModel

from ..transport import async_openai_client

__all__ = ["ToolprotoModel"]


class ToolprotoModel(OpenAIResponsesModel):
    """A model with tools over a *text_model* that can only read and write text.

    *paradigm* is how it is taught to write calls: a name, or ``auto`` for what suits the *name* of
    the model. *options* are those of :class:`~toolproto.transport.AsyncToolTransport`.
    """

    def __init__(
        self, text_model: Any, paradigm: str = "auto", *, name: str = "text", **options: Any
    ) -> None:
        client = async_openai_client(text_model, paradigm, **options)
        super().__init__(model=name, openai_client=client)
