"""The way through one reply: invented turns, and what is left of a decoder that has finished."""

from __future__ import annotations

import gc
import json
import weakref

import pytest

from tests.protocol.decoding.reading import read_reply
from toolproto import Reasoning, ToolCall, ToolOffer, UsageError, get_paradigm
from toolproto.protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallDoubted,
    CallStarted,
    ReasoningDelta,
)
from toolproto.testing import STANDARD_OFFER

REPLIES = [
    "Some words, and `code`.",
    "```python\nprint(1)\n```\n",
    "<think>hm</think>Done.",
    '<tool_call>{"name": "ask", "arguments": {"text": "a long str',
]


@pytest.mark.parametrize(
    "token",
    [
        *("<|im_start|>user", "<|IM_START|>user", "<｜im_start｜>user", "<start_of_turn>user"),
        *("<|user|>", "<|system|>", "<｜User｜>", "<|USER_TOKEN|>", "[INST]"),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_token_in_any_spelling_opens_the_turn_of_another_speaker(token: str, size: int) -> None:
    reply = f"Done.{token}\nAnd now?"
    decoder = get_paradigm("hermes").decoder(ToolOffer())
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)] + decoder.finish()
    assert "".join(event.text for event in events) == "Done."


@pytest.mark.parametrize("reply", REPLIES)
def test_a_decoder_that_has_finished_is_no_garbage_to_be_collected(reply: str) -> None:
    gc.disable()  # or it might be collected just now
    try:
        decoder = get_paradigm("hermes").decoder(ToolOffer())
        for char in reply:
            decoder.feed(char)
        decoder.finish()
        with pytest.raises(UsageError):
            decoder.feed("more")
        left = weakref.ref(decoder)
        del decoder
        assert left() is None
    finally:
        gc.enable()


_NOW = '<tool_code>{"name": "now", "arguments": {}}</tool_code>'


def _places(reply: str, size: int, paradigm: str = "xml_tag") -> list[str]:
    """The place of each call in *reply*; "late" stands before one that shows behind the call."""
    decoder = get_paradigm(paradigm).decoder(STANDARD_OFFER)
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)] + decoder.finish()
    places = [event.call.place for event in events if isinstance(event, CallCompleted)]
    for event in events:
        if isinstance(event, CallDoubted):
            assert places[event.index] == ""
            places[event.index] = f"late {event.place}"
    return places


@pytest.mark.parametrize("behind", ["", "  ", "\n"])
@pytest.mark.parametrize("before", ["", "So:\n\n"])
@pytest.mark.parametrize("size", [1, 100])
def test_a_limit_right_behind_a_call_casts_no_doubt_on_it(
    before: str, behind: str, size: int
) -> None:
    reply = f"{before}{_NOW}{behind}"
    decoder = get_paradigm("xml_tag").decoder(STANDARD_OFFER)
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)]
    events += decoder.finish("length")
    [call] = [event.call for event in events if isinstance(event, CallCompleted)]
    assert (call.place, call.repairs) == ("", ())
    assert not any(isinstance(event, CallDoubted) for event in events)


@pytest.mark.parametrize(
    ("reply", "places"),
    [
        (f"I might write:\n\n{_NOW}\n\nbut not today.", ["late introduced"]),
        (f"I might write:\n{_NOW}\nNot today.", ["late introduced"]),
        (f"I might write:\n{_NOW} Not today.", ["late sentence"]),
        (f"I might write …\n\n{_NOW}\n\n… but not today.", ["late introduced"]),
        (f"I might write...\n{_NOW}\n...but not today.", ["late introduced"]),
        (f"Let me see...\n{_NOW}", [""]),
        # Nothing else introduces a call: no sentence, no heading, no label.
        (f"I will look.\n\n{_NOW}\n\nPlease wait.", [""]),
        (f"An example\n\n\n{_NOW}\n\n\n* one", [""]),
        (f"## Usage\n\n{_NOW}\n\n## Returns\n", [""]),
        (f"{_NOW}\n\nPlease wait.", [""]),
        # A call is no text, nor is a line of a fence or a token; a thought is cut out.
        (f"I will look:\n\n{_NOW}\n\n{_NOW}\n", ["", ""]),
        (f"I will look:\n\n{_NOW}\n```\n", [""]),
        (f"I will look:\n\n{_NOW}\n<|im_end|>\n", [""]),
        (f"I will look:\n\n{_NOW}\n\n", [""]),
        (f"<think>Now:</think>\n\n{_NOW}\n\nPlease wait.", [""]),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_call_that_is_introduced_is_doubted_by_text_behind_it(
    reply: str, places: list[str], size: int
) -> None:
    assert _places(reply, size) == places


@pytest.mark.parametrize(
    ("paradigm", "call"),
    [("pythonic", 'get_weather(city="Oslo")'), ("phi4_mini", 'functools[{"name": "now"}]')],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_call_that_begins_with_a_word_is_no_text(paradigm: str, call: str, size: int) -> None:
    assert _places(f"I will look:\n{call}\n{call}\n", size, paradigm) == ["", ""]


@pytest.mark.parametrize(
    "closed",
    ["He wrote: ‘So\nit is.\n’", "He wrote: 'So\nit is.\n'", "``a\nb`` is so.", "So: ``a\nb``."],
)
@pytest.mark.parametrize("size", [1, 100])
def test_what_is_closed_on_a_later_line_leaves_a_call_plain(closed: str, size: int) -> None:
    assert _places(f"{closed}\n\nI will look.\n\n{_NOW}\n", size, "xml_tag") == [""]


def test_a_call_that_is_introduced_is_complete_at_once_and_says_that_it_may_be_doubted() -> None:
    decoder = get_paradigm("xml_tag").decoder(STANDARD_OFFER)
    events = decoder.feed(f"I will look:\n{_NOW}")
    [started] = [event for event in events if isinstance(event, CallStarted)]
    assert started.unsettled and any(isinstance(event, CallCompleted) for event in events)
    assert not any(isinstance(event, CallDoubted) for event in decoder.feed("\nSo it is"))
    assert CallDoubted(0, "introduced") in decoder.feed(".\n")  # with the end of that line


@pytest.mark.parametrize("closer", ["```\r", "~~~ \r", "   ```"])
@pytest.mark.parametrize("size", [1, 100])
def test_a_closed_fence_hides_no_call_below_it(closer: str, size: int) -> None:
    run = "~~~" if "~" in closer else "```"
    reply = f"So far:\r\n\r\n{run}\r\nx = 1\r\n{closer}\n\r\nNow.\r\n{_NOW}"
    assert _places(reply, size) == [""]


@pytest.mark.parametrize("line", ["      ```", "\u200b```", "``` so"])
@pytest.mark.parametrize("size", [1, 100])
def test_what_closes_no_fence_of_code_shows_the_call_below_it(line: str, size: int) -> None:
    assert _places(f"```\nx = 1\n{line}\nNow.\n{_NOW}", size) == []


@pytest.mark.parametrize("name", ["hy_v3", "step3", "kimi_k2"])
@pytest.mark.parametrize("size", [1, 100])
def test_a_call_on_the_line_of_a_fence_does_not_close_it_wherever_its_wrapper_ends(
    name: str, size: int
) -> None:
    call = get_paradigm(name).encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    assert _places(f"```\n{call}\n``` {call} so.", size, name) == ["late code"]
    assert _places(f"```\n{call}\n```\n{call}", size, name) == ["", ""]


@pytest.mark.parametrize(
    "thought",
    [
        "<think>So.</think>",
        "<Think>So.</THINK>",
        "<|START_THINKING|>So.<|END_THINKING|>",
        "<|channel|>analysis<|message|>So.<|end|>",
        "<think>So.</thinking>",
        "<think>So.</thinking>Hm.</think>",
        "[THINK]So.</think>",
        "<|begin_of_thought|>So.<|END_THINKING|>",
        "<|im_start|>think\nSo.\n<|im_start|>answer",
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_call_behind_a_thought_that_any_end_of_one_ends_is_plain(thought: str, size: int) -> None:
    assert _places(f"{thought}\n{_NOW}", size) == [""]


@pytest.mark.parametrize("token", ["<bos>", "<eos>", "<pad>", "<unk>"])
@pytest.mark.parametrize("before", ["", "I do it."])
def test_a_token_of_the_vocabulary_opens_nothing(token: str, before: str) -> None:
    assert _places(f"{before}{token}\n\n{_NOW}", 100) == [""]


def test_any_tag_closes_a_thought_that_the_prompt_opened() -> None:
    paradigm = get_paradigm("xml_tag", reasoning=Reasoning(starts_inside=True))
    [call] = paradigm.parse_response(f"So.</thinking>\n{_NOW}", STANDARD_OFFER).calls
    assert call.place == ""


@pytest.mark.parametrize("end", ["<|end_message|>", "<|end|>", "<|eom|>"])
@pytest.mark.parametrize("size", [1, 100])
def test_the_end_of_a_message_ends_no_thought_that_a_tag_opened(end: str, size: int) -> None:
    # In a thought a model may quote what it was told, with the tokens of its template.
    reply = f"<think>They say: hello{end}\n{_NOW}\nNo.</think>Done."
    decoder = get_paradigm("xml_tag").decoder(STANDARD_OFFER)
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)] + decoder.finish()
    thought = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    assert thought == reply.removeprefix("<think>").removesuffix("</think>Done.")


def test_the_end_of_a_message_ends_a_thought_that_is_one() -> None:
    reply = f"<|channel|>analysis<|message|>Now.<|end|>\n{_NOW}"
    [call] = get_paradigm("xml_tag").parse_response(reply, STANDARD_OFFER).calls
    assert call.name == "now"


@pytest.mark.parametrize("before", ["Some words ", "- "])
def test_a_long_argument_of_a_call_that_is_doubted_is_kept_in_few_pieces(before: str) -> None:
    content = "print('a\\u00e9\\n')\n" * 400
    call = json.dumps({"name": "write_file", "arguments": {"path": "a.py", "content": content}})
    reply = f"{before}<tool_call>\n{call}\n</tool_call>"
    decoder = get_paradigm("hermes").decoder(STANDARD_OFFER)
    events = [event for char in reply for event in decoder.feed(char)] + decoder.finish()
    deltas = [event.text for event in events if isinstance(event, ArgumentsDelta)]
    (done,) = (event for event in events if isinstance(event, CallCompleted))
    assert json.loads("".join(deltas)) == done.call.arguments
    assert done.call.arguments["content"] == content
    assert len(deltas) < len(content) / 100  # each of thousands would be looked at with each chunk


@pytest.mark.parametrize("run", ["`", "```"])
@pytest.mark.parametrize("size", [1, 100])
def test_a_reply_of_one_code_span_is_a_call_if_the_span_ends(run: str, size: int) -> None:
    assert _places(f"{run}{_NOW}{run}", size) == [""]
    assert _places(f"{run} {_NOW}", size) == []


@pytest.mark.parametrize("char", ["`", "~"])
@pytest.mark.parametrize("length", [2, 3, 4, 64, 100])
@pytest.mark.parametrize("behind", ["", " x" * 40, " x" * 75])
def test_a_run_of_three_opens_a_fence(char: str, length: int, behind: str) -> None:
    # Most runs open nothing and are not stopped at; a long one is not taken for its second half.
    reply = f"See.\n{char * length}{behind}\n{_NOW}\n{char * length}\nSo it is."
    [call] = read_reply("xml_tag", reply, STANDARD_OFFER).calls
    fenced = [repair.name for repair in call.repairs] == ["fenced"]
    assert fenced == (length >= 3)
    assert call.place == ("code" if char == "`" and length == 2 else "")


@pytest.mark.parametrize(
    ("fence", "place"), [("- ```\n  {}\n  ```", "container"), (f"``` {'x' * 300}\n{{}}\n```", "")]
)
def test_a_call_in_any_fence_of_calls_is_fenced(fence: str, place: str) -> None:
    [call] = read_reply("xml_tag", fence.format(_NOW), STANDARD_OFFER).calls
    assert ([repair.name for repair in call.repairs], call.place) == (["fenced"], place)
