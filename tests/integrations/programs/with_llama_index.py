"""LlamaIndex's FunctionAgent, streamed and not, on an endpoint and on a text model of its own."""

from __future__ import annotations

import asyncio

from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.llms import ChatMessage, ChatResponse, CustomLLM, LLMMetadata
from llama_index.core.tools import FunctionTool
from working import TASK, TOOLS, play, spoken

from toolproto.integrations.llama_index import ToolprotoLLM
from toolproto.messages import ChatRequest, Message


class TextOnly(CustomLLM):
    """A model of LlamaIndex's own that has no tools."""

    endpoint: object

    @property
    def metadata(self):
        return LLMMetadata(is_chat_model=True)

    def stream_chat(self, messages, **kwargs):
        assert not kwargs.get("tools")
        said = tuple(Message(each.role.value, each.content) for each in messages)
        for text in spoken(self.endpoint, ChatRequest(said)):
            yield ChatResponse(message=ChatMessage(content=""), delta=text)

    async def astream_chat(self, messages, **kwargs):
        async def responses():
            for each in self.stream_chat(messages, **kwargs):
                yield each

        return responses()

    def complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    def stream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError


def worked(text_model, streaming):
    async def run():
        llm = ToolprotoLLM(text_model, "xml_tag")
        tools = [FunctionTool.from_defaults(each) for each in TOOLS]
        agent = FunctionAgent(tools=tools, llm=llm, streaming=streaming)
        handler = agent.run(TASK)
        async for event in handler.stream_events():
            if isinstance(event, AgentStream):
                assert "tool_code" not in event.delta
        return str(await handler)

    return asyncio.run(run())


def whole(text_model):
    return worked(text_model, streaming=False)


def streamed(text_model):
    return worked(text_model, streaming=True)


def of_its_own(text_model):
    return worked(TextOnly(endpoint=text_model), streaming=True)


if __name__ == "__main__":
    play({each.__name__: each for each in (whole, streamed, of_its_own)})
