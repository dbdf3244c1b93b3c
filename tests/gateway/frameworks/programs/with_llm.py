"""Simon Willison's llm: the plugin, by its Python interface and by its command."""

from __future__ import annotations

import asyncio
import os
import tempfile

os.environ["LLM_USER_PATH"] = tempfile.mkdtemp()
os.environ["TOOLPROTO_PARADIGM"] = "xml_tag"

import llm
import llm.plugins
from click.testing import CliRunner
from llm.cli import cli
from working import TASK, TOOLS, play, spoken, text_model

import toolproto.gateway.llm_plugin as plugin
from toolproto.protocol.messages import ChatRequest, Message

MODEL = []


class Here:
    """Registers a model of text, and one for event loops."""

    @llm.hookimpl
    def register_models(self, register):
        register(TextOnly(), AsyncTextOnly(), aliases=["t"])


def asked(prompt):
    said = tuple(
        Message(message.role, "".join(part.text for part in message.parts))
        for message in prompt.messages
    )
    return ChatRequest(said)


class TextOnly(llm.Model):
    model_id = "text-only"
    can_stream = True

    def execute(self, prompt, stream, response, conversation):
        yield from spoken(MODEL[0], asked(prompt))


class AsyncTextOnly(llm.AsyncModel):
    model_id = "text-only"
    can_stream = True

    async def execute(self, prompt, stream, response, conversation):
        for text in spoken(MODEL[0], asked(prompt)):
            yield text


llm.plugins.pm.register(plugin, "toolproto")
llm.plugins.pm.register(Here(), "here")


def model(given):
    MODEL[:] = [given]
    return llm.get_model("tp/t")


def said(text):
    """The words behind the last call: a chain gives the words of all replies."""
    return text[text.index("All") :] if "All" in text else text


def chain(given):
    return said(model(given).chain(TASK, tools=TOOLS).text())


def whole(given):
    return said(model(given).chain(TASK, tools=TOOLS, stream=False).text())


def in_a_loop(given):
    MODEL[:] = [given]

    async def run():
        return await llm.get_async_model("tp/text-only").chain(TASK, tools=TOOLS).text()

    return said(asyncio.run(run()))


def command(given):
    MODEL[:] = [given]
    source = (
        "from pathlib import Path\n"
        "def list_files() -> str:\n    return 'notes.txt'\n"
        "def read_file(path: str) -> str:\n    return Path(path).read_text()\n"
        "def write_file(path: str, content: str) -> str:\n"
        "    Path(path).write_text(content)\n    return 'written'\n"
    )
    done = CliRunner().invoke(cli, ["-m", "tp/t", "--functions", source, TASK])
    if done.exit_code:
        raise RuntimeError(done.output)
    return said(done.output.strip())


if __name__ == "__main__":
    assert text_model("behaves")
    play({each.__name__: each for each in (chain, whole, in_a_loop, command)})
