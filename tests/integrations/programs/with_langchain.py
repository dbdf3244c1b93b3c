"""LangChain's agent, streamed and not, with an endpoint and with a text model of LangChain's."""

from __future__ import annotations

import asyncio

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from working import TASK, TOOLS, play, spoken

from toolproto.integrations.langchain import ChatToolproto
from toolproto.messages import ChatRequest, Message

ASKED = {"messages": [("user", TASK)]}


class TextOnly(BaseChatModel):
    """A chat model of LangChain's that has no tools."""

    endpoint: object

    @property
    def _llm_type(self):
        return "text-only"

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        assert not kwargs.get("tools")
        roles = {"system": "system", "human": "user", "ai": "assistant"}
        said = tuple(Message(roles[each.type], each.content) for each in messages)
        for text in spoken(self.endpoint, ChatRequest(said)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text))

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        text = "".join(each.text for each in self._stream(messages))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


def agent(text_model):
    model = ChatToolproto(text_model=text_model, paradigm="xml_tag")
    return create_agent(model, [tool(each) for each in TOOLS])


def whole(text_model):
    return agent(text_model).invoke(ASKED)["messages"][-1].text


def streamed(text_model):
    said, calls = "", 0
    for part, where in agent(text_model).stream(ASKED, stream_mode="messages"):
        assert "tool_code" not in part.text, "a call as text was heard"
        if where["langgraph_node"] == "model":
            said = said + part.text if not getattr(part, "tool_call_chunks", ()) else ""
            calls += sum(bool(each["name"]) for each in getattr(part, "tool_call_chunks", ()))
    assert calls >= 3, f"{calls} calls"
    return said


def of_its_own(text_model):
    return streamed(TextOnly(endpoint=text_model))


def in_a_loop(text_model):
    async def run():
        return (await agent(text_model).ainvoke(ASKED))["messages"][-1].text

    return asyncio.run(run())


if __name__ == "__main__":
    play({each.__name__: each for each in (whole, streamed, of_its_own, in_a_loop)})
