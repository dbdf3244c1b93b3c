"""Smolagents: the agent that calls tools, streamed and not. Its answer is a call, too."""

from __future__ import annotations

from smolagents import ChatMessage, Model, ToolCallingAgent, tool
from working import ANSWER, PLAN, TASK, TOOLS, play, spoken

from toolproto.integrations.smolagents import ToolprotoModel
from toolproto.messages import ChatRequest, Message


class TextOnly(Model):
    """A model of smolagents' own that has no tools."""

    def __init__(self, endpoint):
        super().__init__()
        self.endpoint = endpoint

    def generate(self, messages, stop_sequences=None, response_format=None, **kwargs):
        assert not kwargs.get("tools_to_call_from")
        said = tuple(Message(each["role"], each["content"]) for each in messages)
        text = "".join(spoken(self.endpoint, ChatRequest(said)))
        return ChatMessage(role="assistant", content=text)


def agent(text_model, **terms):
    model = ToolprotoModel(text_model, "xml_tag")
    tools = [tool(each) for each in TOOLS]
    return ToolCallingAgent(tools=tools, model=model, max_steps=8, verbosity_level=0, **terms)


def checked(running):
    """What it was answered; smolagents itself goes on after an error, to the last step."""
    said = running.run(TASK)
    errors = [step.error for step in running.memory.steps if getattr(step, "error", None)]
    if errors:
        raise RuntimeError(errors[0])
    return said


def whole(text_model):
    return checked(agent(text_model))


def streamed(text_model):
    return checked(agent(text_model, stream_outputs=True))


def of_its_own(text_model):
    return checked(agent(TextOnly(text_model)))


if __name__ == "__main__":
    plan = [*PLAN, ("final_answer", {"answer": ANSWER})]
    play({each.__name__: each for each in (whole, of_its_own)}, plan)
    # It draws all that came again with each piece, which takes minutes for 70 KB of code.
    play({"streamed": streamed}, plan, without=["long code"])
