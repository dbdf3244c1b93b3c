"""LangChain's own standard tests, for a chat model over a text model that knows their questions.

They are run by the pytest of the environment that has them. What is skipped there is what the
model does not claim: audio, Anthropic's own blocks, settings from the environment, serialization,
recorded HTTP. The picture and the document that the tests fetch are made here, without a network.
"""

from __future__ import annotations

import json
import re

import httpx
import pytest
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests

from toolproto.bridge.terms import ModelTerms
from toolproto.endpoints import ScriptedEndpoint, ScriptedReply
from toolproto.integrations.langchain import ChatToolproto
from toolproto.messages import Usage

#: What the model calls a tool with that the tests offer.
ARGUMENTS = {
    "magic_function": {"input": 3},
    "magic_function_no_args": {},
    "my_adder_tool": {"a": 1, "b": 2},
    "get_weather": {"location": "San Francisco, CA"},
    "greeting_generator": {"answer_style": "pirate"},
    "Joke": {"setup": "Why did the cat sit down?", "punchline": "It was tired."},
    "JokeDict": {"setup": "Why did the cat sit down?", "punchline": "It was tired."},
    "unicode_customer": {"customer_name": "", "description": "a company"},
}
OFFERED = re.compile(r"^(\w+)\(", re.MULTILINE)
NAMED = re.compile(r"named '([^']+)'")


#: What asks about something that is to be looked at.
LOOKING = re.compile(r"this (?:image|document)|random (?:diagram|PDF)")


def speak(request):
    """What the text model says: a call where its prompt teaches one, unless it has the result."""
    seen = [each for message in request.messages for each in message.attachments]
    if any(LOOKING.search(message.content) for message in request.messages) and not seen:
        raise ValueError("nothing was shown")
    system = request.messages[0].content if request.messages[0].role == "system" else ""
    said = request.messages[-1].content
    offered = [name for name in OFFERED.findall(system) if name in ARGUMENTS]
    demanded = [name for name in offered if f"the tool {name}" in said]
    if not offered or "<tool_result" in said:
        return ScriptedReply("Hello to you. All is well.", usage=Usage(9, 5))
    name = (demanded or offered)[0]
    arguments = dict(ARGUMENTS[name])
    if name == "unicode_customer":
        arguments["customer_name"] = NAMED.search(said)[1]
    call = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return ScriptedReply(f"<tool_code>{call}</tool_code>", usage=Usage(9, 5))


class Endless(ScriptedEndpoint):
    """Answers as often as it is asked."""

    def _take(self, request):
        self.requests.append(request)
        return speak


class Common:
    @property
    def chat_model_class(self):
        return ChatToolproto

    @property
    def chat_model_params(self):
        return {
            "model": "text",
            "text_model": Endless(chunk_size=4),
            "paradigm": "xml_tag",
            "terms": ModelTerms(vision=True),
        }

    supports_json_mode = True
    supports_image_inputs = True
    supports_image_urls = True
    supports_image_tool_message = True
    supports_pdf_inputs = True
    supports_pdf_tool_message = True

    @property
    def model_override_value(self):
        return "another"


@pytest.fixture(autouse=True)
def fetched(monkeypatch):
    """What the tests fetch from elsewhere."""
    content = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-1.4"}
    monkeypatch.setattr(
        httpx, "get", lambda url, **_: httpx.Response(200, content=content[url[-3:]])
    )


class TestUnit(Common, ChatModelUnitTests):
    pass


class TestIntegration(Common, ChatModelIntegrationTests):
    pass


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__]))
