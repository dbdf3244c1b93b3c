"""DSPy: both of its agents, streamed and not, on an endpoint and on a language model of its own."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import warnings

os.environ["DSPY_CACHEDIR"] = tempfile.mkdtemp()

import dspy
from dspy import lm15
from working import ANSWER, PLAN, TASK, TOOLS, play, spoken

from toolproto.integrations.dspy import ToolprotoAdapter, ToolprotoLM
from toolproto.messages import ChatRequest, Message

warnings.simplefilter("ignore")


class TextOnly:
    """An engine of DSPy's own that has no tools."""

    def __init__(self, endpoint):
        self.endpoint = endpoint

    def complete(self, request):
        assert not request.tools
        said = [Message("system", request.system or "")] if request.system else []
        said += [Message(each.role, each.text) for each in request.messages]
        text = "".join(spoken(self.endpoint, ChatRequest(tuple(said))))
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant(text),
            finish_reason="stop",
            usage=lm15.Usage(3, 4),
        )


def agent(kind=dspy.ReActV2):
    return kind("task -> answer", tools=[dspy.Tool(each) for each in TOOLS], max_iters=6)


def settings(text_model):
    lm = ToolprotoLM(text_model, "xml_tag", num_retries=0)
    return dspy.context(lm=lm, adapter=dspy.ChatAdapter(use_native_function_calling=True))


def whole(text_model):
    with settings(text_model):
        return agent()(task=TASK).answer


def in_a_loop(text_model):
    async def run():
        with settings(text_model):
            return (await agent().acall(task=TASK)).answer

    return asyncio.run(run())


def streamed(text_model):
    async def run():
        deltas, said = 0, None
        with settings(text_model):
            async for each in dspy.streamify(agent())(task=TASK):
                if isinstance(each, dspy.Prediction):
                    said = each.answer
                elif getattr(each, "choices", None):
                    deltas += bool(each.choices[0].delta.get("tool_calls"))
        assert deltas > 8, deltas
        return said

    return asyncio.run(run())


def of_its_own(text_model):
    own = dspy.LM("text/only", engine=TextOnly(text_model), cache=False, num_retries=0)
    with settings(own):
        return agent()(task=TASK).answer


class Observed:
    """The model before an agent that tells all results in one message, by numbers."""

    def __init__(self, endpoint):
        self.endpoint = endpoint

    def __call__(self, request):
        done = max(each.content.count("[[ ## observation_") for each in request.messages)
        told = [Message("user", "<tool_result>")] * done
        taught = Message("system", "tool_code")
        text = "".join(spoken(self.endpoint, ChatRequest((taught, *told))))
        # No call was asked for, but the JSON of an answer.
        return re.sub(r'<tool_code>\{.*?[\'"]arguments[\'"]: (.*?)\}</tool_code>', r"\1", text)


def by_fields(text_model):
    """The older agent chooses its tools by output fields: an answer that is held to a schema."""
    with settings(Observed(text_model)), dspy.context(adapter=ToolprotoAdapter()):
        return agent(dspy.ReAct)(task=TASK).answer


def chosen(name, arguments):
    given = {"next_thought": "So.", "next_tool_name": name, "next_tool_args": arguments}
    return "answer", given


if __name__ == "__main__":
    submitted = ("submit", {"answer": ANSWER})
    play(
        {each.__name__: each for each in (whole, in_a_loop, streamed, of_its_own)},
        [*PLAN, submitted],
    )
    fields = [chosen(*call) for call in (*PLAN, ("finish", {}))]
    play({"by_fields": by_fields}, [*fields, ("answer", {"reasoning": "Done.", "answer": ANSWER})])
