"""A reply that is cut anywhere runs nothing it did not wholly say, and the turn says why it ended.

``soak/cut_streams.py`` cuts every fixture at every byte; here, some of them.
"""

from __future__ import annotations

import asyncio
import codecs
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, get_args

import pytest

from tests.amount import recorded, some_fixtures
from toolproto import get_paradigm
from toolproto.conversation.deciding.approvals import Allow
from toolproto.conversation.session import AsyncChatSession, ChatSession
from toolproto.conversation.turn.result import TurnResult, TurnStatus
from toolproto.endpoints import Anthropic, Dialect, Ollama, OpenAIChat, ScriptedEndpoint
from toolproto.endpoints.http.reply_reader import HttpReplyReader
from toolproto.endpoints.recorded.scripted import ScriptedReply
from toolproto.protocol.decoding.contract import is_over
from toolproto.protocol.decoding.reply.thinking_tokens import Reasoning
from toolproto.protocol.errors import EndpointError, ToolProtoError, WireError
from toolproto.protocol.tools.define import Tool
from toolproto.protocol.tools.registry import ToolRegistry
from toolproto.protocol.tools.spec import ToolSpec
from toolproto.testing.fixtures import Fixture

FIXTURES = recorded()
Runs = Counter[tuple[str, str]]


class Workshop:
    """The tools of *fixture*, each of which would change something, and what was run of them."""

    def __init__(self, fixture: Fixture, runner: asyncio.Runner | None = None) -> None:
        self.ran: Runs = Counter()
        self.runner = runner
        reasoning = Reasoning(starts_inside=fixture.starts_in_thinking)
        self.paradigm = get_paradigm(fixture.paradigm, reasoning=reasoning)
        self.tools = ToolRegistry(
            Tool(spec, self._function(spec.name), risk="write") for spec in near(fixture)
        )

    def play(self, endpoint: Any, approve: bool = True) -> TurnResult:
        """One turn with *endpoint*; an exception from it is a broken promise."""
        self.ran.clear()
        kind: Any = ChatSession if self.runner is None else AsyncChatSession
        approver = (lambda request: Allow()) if approve else None
        session = kind(endpoint, self.paradigm, self.tools, approver=approver)
        sent = session.send("go")
        result: TurnResult = sent if self.runner is None else self.runner.run(sent)
        assert result.status in get_args(TurnStatus)
        assert (result.error is None) == (result.status == "completed")
        assert result.error is None or isinstance(result.error, ToolProtoError)
        return result

    def whole(self, reply: str) -> Runs:
        """What runs when nothing is cut."""
        self.play(ScriptedEndpoint(reply, *["done"] * 4))
        return Counter(self.ran)

    def is_over(self, begun: str) -> bool:
        """Whether nothing counts behind *begun*: a result or a turn that the model made up."""
        decoder = self.paradigm.decoder(self.tools.offer())
        decoder.feed(begun)
        return is_over(decoder)

    def _function(self, name: str) -> Callable[..., Any]:
        def note(**arguments: Any) -> str:
            self.ran[name, json.dumps(arguments, sort_keys=True)] += 1
            return "done"

        async def anote(**arguments: Any) -> str:
            return note(**arguments)

        return note if self.runner is None else anote


def near(fixture: Fixture) -> list[ToolSpec]:
    """The tools that *fixture* may mean, and a few others.

    Most are offered four dozen, and each session would describe them all to a model that does not
    look at them.
    """
    said = _letters(fixture.reply)
    meant = [spec for spec in fixture.offer.tools if _letters(spec.name) in said]
    others = [spec for spec in fixture.offer.tools if spec not in meant]
    return meant + others[:3]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


# -- cutting the text ---------------------------------------------------------------------


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def heard(data: bytes) -> str:
    """What has arrived of a text when only *data* has."""
    return codecs.getincrementaldecoder("utf-8")("surrogatepass").decode(data)


def check_broken_off(workshop: Workshop, data: bytes, pieces: int | None = None) -> None:
    """The connection is lost after *data*: nothing runs, and that is the error."""
    cut = ScriptedReply(heard(data), finish_reason=None)
    for approve in (True, False):
        result = workshop.play(ScriptedEndpoint(cut, "done", chunk_size=pieces), approve)
        assert isinstance(result.error, WireError) and result.status == "error"
        assert not workshop.ran, f"ran of a broken reply: {workshop.ran}"


def check_too_long(workshop: Workshop, data: bytes, whole: Runs, pieces: int | None = None) -> int:
    """The service stops after *data*: what runs is of the *whole* reply; how many did."""
    cut = ScriptedReply(heard(data), finish_reason="length")
    workshop.play(ScriptedEndpoint(cut, *["done"] * 4, chunk_size=pieces), approve=False)
    assert not workshop.ran, f"ran unapproved: {workshop.ran}"
    workshop.play(ScriptedEndpoint(cut, *["done"] * 4, chunk_size=pieces))
    assert workshop.ran <= whole, f"ran shortened: {workshop.ran - whole}, whole: {whole}"
    return workshop.ran.total()


# -- cutting the wire ---------------------------------------------------------------------


def event(body: Any, name: str = "") -> bytes:
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(body)}\n\n".encode()


def openai_wire(pieces: list[str]) -> Iterator[bytes]:
    for piece in pieces:
        yield event({"choices": [{"index": 0, "delta": {"content": piece}}]})
    yield event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 9}})
    yield b"data: [DONE]\n\n"


def anthropic_wire(pieces: list[str]) -> Iterator[bytes]:
    yield event({"type": "message_start", "message": {"usage": {"input_tokens": 7}}})
    for piece in pieces:
        delta = {"type": "text_delta", "text": piece}
        yield event({"type": "content_block_delta", "index": 0, "delta": delta}, "delta")
    ended = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    yield event({**ended, "usage": {"output_tokens": 9}}, "message_delta")
    yield event({"type": "message_stop"}, "message_stop")


def ollama_wire(pieces: list[str]) -> Iterator[bytes]:
    for piece in pieces:
        line = {"message": {"role": "assistant", "content": piece}, "done": False}
        # Raw UTF-8, as that server writes it: a cut may fall within a character.
        yield utf8(json.dumps(line, ensure_ascii=False)) + b"\n"
    yield b'{"done": true, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 9}\n'


WIRES: list[tuple[Dialect, Callable[[list[str]], Iterator[bytes]]]] = [
    (OpenAIChat(), openai_wire),
    (Anthropic(), anthropic_wire),
    (Ollama(), ollama_wire),
]


def on_the_wire(write: Callable[[list[str]], Iterator[bytes]], reply: str, size: int = 12) -> bytes:
    """The bytes in which a service sends *reply*."""
    return b"".join(write([reply[at : at + size] for at in range(0, len(reply), size)]))


class WireEndpoint:
    """Answers the first request with *data*, read as *dialect*, the others with "done"."""

    def __init__(self, dialect: Dialect, data: bytes, size: int = 64) -> None:
        self.dialect, self.data, self.size = dialect, data, size
        self.after = ScriptedEndpoint(*["done"] * 4)
        self.asked = False

    @contextmanager
    def stream(self, request: Any) -> Iterator[Any]:
        if self.asked:
            with self.after.stream(request) as chunks:
                yield chunks
        else:
            self.asked = True
            yield self._chunks()

    @asynccontextmanager
    async def astream(self, request: Any) -> Any:
        async def chunks() -> Any:
            with self.stream(request) as found:
                for chunk in found:
                    yield chunk

        yield chunks()

    def _chunks(self) -> Iterator[Any]:
        reader = HttpReplyReader(self.dialect)
        for at in range(0, len(self.data), self.size):
            yield from reader.feed(self.data[at : at + self.size])
        yield from reader.finish()


def check_wire(workshop: Workshop, dialect: Dialect, data: bytes, whole: Runs) -> bool:
    """The wire breaks after *data*: all of the reply runs or none of it; whether it did."""
    result = workshop.play(WireEndpoint(dialect, data))
    if isinstance(result.error, EndpointError):
        assert not workshop.ran, f"ran of a broken wire: {workshop.ran}"
        return False
    assert workshop.ran == whole, f"ran {workshop.ran}, whole: {whole}"
    return True


# Their calls are shown and not meant, but only what follows tells; a cut takes that away.
UNDECIDED = ["fence_talk_after", "talked_about_sentence", "talked_about_chinese"]

# -- some of them -------------------------------------------------------------------------


@pytest.fixture(params=["sync", "async"])
def runner(request):
    if request.param == "sync":
        yield None
    else:
        with asyncio.Runner() as runner:
            yield runner


SOME = [each for each in some_fixtures(FIXTURES, 120) if each.case not in UNDECIDED]


@pytest.mark.parametrize("fixture", SOME, ids=lambda fixture: fixture.case)
def test_a_reply_cut_at_any_byte_runs_nothing_it_did_not_say(runner, fixture):
    workshop, data = Workshop(fixture, runner), utf8(fixture.reply)
    whole = workshop.whole(fixture.reply)
    for at in range(0, len(data) + 1, 1 + len(data) // 8):
        if workshop.is_over(heard(data[:at])):
            break  # nobody waits for the wire to break
        check_broken_off(workshop, data[:at])
        check_too_long(workshop, data[:at], whole, pieces=7)


@pytest.mark.parametrize(
    "fixture",
    [each for each in FIXTURES if each.case in UNDECIDED],
    ids=lambda fixture: f"{fixture.paradigm}-{fixture.case}",
)
def test_what_only_its_end_would_show_to_be_an_example_is_not_run_when_cut(fixture):
    workshop, data = Workshop(fixture), utf8(fixture.reply)
    whole = workshop.whole(fixture.reply)
    for at in range(0, len(data) + 1, 11):
        check_too_long(workshop, data[:at], whole)


@pytest.mark.parametrize(("dialect", "write"), WIRES, ids=lambda each: getattr(each, "name", ""))
def test_a_wire_that_breaks_at_any_byte_runs_all_or_nothing(runner, dialect, write):
    fixture = next(each for each in FIXTURES if each.case == "prose_japanese")
    # A short reply, since its wire is ten times as long; the soak cuts it at every byte.
    workshop, data = Workshop(fixture, runner), on_the_wire(write, fixture.reply, size=24)
    whole = workshop.whole(fixture.reply)
    cuts = sorted({*range(0, len(data), 31), *range(len(data) - 60, len(data) + 1, 2)})
    ran = [check_wire(workshop, dialect, data[:at], whole) for at in cuts]
    assert whole and ran[-1] and ran == sorted(ran), "a longer wire ran less"
    first = cuts[ran.index(True)]
    assert b'_reason": "' in data[:first], "ran before the reply was known to be over"


def test_a_wire_that_says_length_runs_only_what_is_whole(runner):
    fixture = next(each for each in FIXTURES if each.case == "prose_japanese")
    workshop = Workshop(fixture, runner)
    whole = workshop.whole(fixture.reply)
    for at in range(0, len(fixture.reply), 7):
        wire = on_the_wire(openai_wire, fixture.reply[:at]).replace(b'"stop"', b'"length"')
        result = workshop.play(WireEndpoint(OpenAIChat(), wire))
        assert result.status == "completed" and workshop.ran <= whole
