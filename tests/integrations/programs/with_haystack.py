"""Haystack's agent, streamed and not, on an endpoint and on a generator of its own."""

from __future__ import annotations

import asyncio

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from working import TASK, TOOLS, play, spoken

from toolproto.integrations.haystack import ToolprotoChatGenerator
from toolproto.messages import ChatRequest, Message

ASKED = [ChatMessage.from_user(TASK)]


@component
class TextOnly:
    """A generator of Haystack's own that has no tools."""

    def __init__(self, endpoint):
        self.endpoint = endpoint

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        said = tuple(Message(each.role.value, each.text) for each in messages)
        text = "".join(spoken(self.endpoint, ChatRequest(said)))
        return {"replies": [ChatMessage.from_assistant(text)]}


def agent(text_model, **more):
    generator = ToolprotoChatGenerator(text_model, "xml_tag")
    tools = [create_tool_from_function(each) for each in TOOLS]
    return Agent(chat_generator=generator, tools=tools, **more)


def whole(text_model):
    return agent(text_model).run(messages=ASKED)["last_message"].text


def streamed(text_model):
    heard = []
    said = agent(text_model, streaming_callback=heard.append).run(messages=ASKED)
    named = [call.tool_name for each in heard for call in each.tool_calls or () if call.tool_name]
    assert list(dict.fromkeys(named)) == [tool.__name__ for tool in TOOLS], named
    assert not any("tool_code" in each.content for each in heard)
    return said["last_message"].text


def in_a_loop(text_model):
    return asyncio.run(agent(text_model).run_async(messages=ASKED))["last_message"].text


def of_its_own(text_model):
    return whole(TextOnly(text_model))


if __name__ == "__main__":
    play({each.__name__: each for each in (whole, streamed, in_a_loop, of_its_own)})
