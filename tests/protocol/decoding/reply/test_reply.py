"""The way through one reply: invented turns, and what is left of a decoder that has finished."""

from __future__ import annotations

import gc
import json
import weakref

import pytest

from tests.protocol.decoding.reading import read_reply
from toolproto import Reasoning, ToolOffer, UsageError, get_paradigm
from toolproto.protocol.events import ArgumentsDelta, CallCompleted, ReasoningDelta
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


@pytest.mark.parametrize(
    ("reply", "doubt"),
    [
        (_NOW, "cut_behind"),
        (f"{_NOW}  ", "cut_behind"),
        (_NOW.removesuffix("code>"), "cut_behind"),
        (f"{_NOW} is", "words_behind"),
        (f"{_NOW}\n", ""),
        (f"So:\n\n{_NOW}\n", "cut_behind"),
        (f"{_NOW} Then", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_call_right_before_a_cut_is_doubted(reply: str, doubt: str, size: int) -> None:
    # Whole, it may go on with "is what I would write", and is doubted for that.
    decoder = get_paradigm("xml_tag").decoder(STANDARD_OFFER)
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)]
    events += decoder.finish("length")
    [call] = [event.call for event in events if isinstance(event, CallCompleted)]
    assert [repair.name for repair in call.repairs if repair.is_of_place] == [doubt][: bool(doubt)]


def _doubts(reply: str, size: int, paradigm: str = "xml_tag") -> list[str]:
    """The reasons why the places of the calls in *reply* are doubtful, "" where one is not."""
    decoder = get_paradigm(paradigm).decoder(STANDARD_OFFER)
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)] + decoder.finish()
    calls = [event.call for event in events if isinstance(event, CallCompleted)]
    return [" ".join(each.name for each in call.repairs if each.is_of_place) for call in calls]


@pytest.mark.parametrize(
    ("reply", "doubts"),
    [
        (f"I might write:\n\n{_NOW}\n\nbut not today.", ["amid_talk"]),
        (f"I might write:\n{_NOW}\nNot today.", ["amid_talk"]),
        (f"I might write:\n{_NOW} Not today.", ["amid_talk"]),
        (f"I might write …\n\n{_NOW}\n\n… but not today.", ["amid_talk"]),
        (f"I might write...\n{_NOW}\n...but not today.", ["amid_talk"]),
        (f"Let me see...\n{_NOW}", [""]),
        (f"An example\n\n\n{_NOW}\n\n\n* one", ["amid_talk"]),
        (f"## Usage\n\n{_NOW}\n\n## Returns\n", ["amid_talk"]),
        # Whatever is said in a whole sentence leads to nothing.
        (f"I will look.\n\n{_NOW}\n\nPlease wait.", [""]),
        (f"It is \\textbf{{cold}}\n\nI will look.\n\n{_NOW}", [""]),
        (f"{_NOW}\n\nPlease wait.", [""]),
        # Nor is another call talk, nor what is left of a fence, a token or markup.
        (f"I will look:\n\n{_NOW}\n\n{_NOW}\n", ["", ""]),
        (f"I will look:\n\n{_NOW}\n```\n", [""]),
        (f"I will look:\n\n{_NOW}\n<|im_end|>\n", [""]),
        (f"I will look:\n\n{_NOW}\n\n", [""]),
        (f"<think>Now:</think>\n\n{_NOW}\n\nPlease wait.", [""]),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_call_that_is_led_to_and_talked_of_is_doubted(
    reply: str, doubts: list[str], size: int
) -> None:
    assert _doubts(reply, size) == doubts


@pytest.mark.parametrize(
    ("paradigm", "call"),
    [("pythonic", 'get_weather(city="Oslo")'), ("phi4_mini", 'functools[{"name": "now"}]')],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_call_that_begins_with_a_word_is_no_talk(paradigm: str, call: str, size: int) -> None:
    doubts = _doubts(f"I will look:\n{call}\n{call}\n", size, paradigm)
    assert doubts == ["", ""]


@pytest.mark.parametrize(
    "closed",
    ["He wrote: ‘So\nit is.\n’", "He wrote: 'So\nit is.\n'", "``a\nb`` is so.", "So: ``a\nb``."],
)
@pytest.mark.parametrize("size", [1, 100])
def test_what_is_closed_on_a_later_line_leaves_a_call_plain(closed: str, size: int) -> None:
    assert _doubts(f"{closed}\n\nI will look.\n\n{_NOW}\n", size, "xml_tag") == [""]


def test_a_call_that_is_led_to_is_complete_with_what_stands_below_it() -> None:
    decoder = get_paradigm("xml_tag").decoder(STANDARD_OFFER)
    events = decoder.feed(f"I will look:\n{_NOW}\n\n")
    assert not any(isinstance(event, CallCompleted) for event in events)
    events = decoder.feed("<")  # ``<b>So</b>`` would be talk
    assert not any(isinstance(event, CallCompleted) for event in events)
    events = decoder.feed("tool_")
    assert any(isinstance(event, CallCompleted) for event in events)


@pytest.mark.parametrize("closer", ["```\r", "~~~ \r", "\u200b```\u200b", "   ```"])
@pytest.mark.parametrize("size", [1, 100])
def test_a_closed_fence_hides_no_call_below_it(closer: str, size: int) -> None:
    run = "~~~" if "~" in closer else "```"
    assert _doubts(f"So far:\r\n\r\n{run}\r\nx = 1\r\n{closer}\n\r\nNow.\r\n{_NOW}", size) == [""]
    # Some models indent all but the line that opens it.
    assert _doubts(f"{run}\n      x = 1\n      {run}\nNow.\n{_NOW}", size) == [""]


@pytest.mark.parametrize(
    ("thought", "doubt"),
    [
        ("<think>So.</think>", ""),
        ("<Think>So.</THINK>", ""),
        ("<|START_THINKING|>So.<|END_THINKING|>", ""),
        ("<|channel|>analysis<|message|>So.<|end|>", ""),
        ("<think>So.</thinking>", "unclosed_thought"),
        ("<think>So.</thinking>Hm.</think>", ""),
        ("[THINK]So.</think>", "unclosed_thought"),
        ("<|begin_of_thought|>So.<|END_THINKING|>", "unclosed_thought"),
        ("<|im_start|>think\nSo.\n<|im_start|>answer", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_call_behind_a_thought_that_another_tag_closes_is_doubted(
    thought: str, doubt: str, size: int
) -> None:
    assert _doubts(f"{thought}\n{_NOW}", size) == [doubt]


@pytest.mark.parametrize("token", ["<bos>", "<eos>", "<pad>", "<unk>"])
@pytest.mark.parametrize("before", ["", "I do it."])
def test_a_token_of_the_vocabulary_opens_nothing(token: str, before: str) -> None:
    assert _doubts(f"{before}{token}\n\n{_NOW}", 100) == [""]


def test_any_tag_closes_a_thought_that_the_prompt_opened() -> None:
    paradigm = get_paradigm("xml_tag", reasoning=Reasoning(starts_inside=True))
    [call] = paradigm.parse_response(f"So.</thinking>\n{_NOW}", STANDARD_OFFER).calls
    assert call.doubt == ""


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


@pytest.mark.parametrize("before", ["Sure:\n\n```json\n", "Some words "])
def test_a_long_argument_of_a_call_that_waits_is_kept_in_few_pieces(before: str) -> None:
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


@pytest.mark.parametrize("char", ["`", "~"])
@pytest.mark.parametrize("length", [2, 3, 4, 62, 63, 64, 65, 66])
@pytest.mark.parametrize(("behind", "is_line"), [("", True), (" x" * 40, True), (" x" * 41, False)])
def test_a_run_opens_a_fence_by_its_length_and_its_line(
    char: str, length: int, behind: str, is_line: bool
) -> None:
    # Most runs open nothing and are not stopped at; a long one is not taken for its second half.
    reply = f"See\n{char * length}{behind}\n{_NOW}\n{char * length}\nSo it is."
    parsed = read_reply("xml_tag", reply, STANDARD_OFFER)
    doubts = [repair.name for call in parsed.calls for repair in call.repairs]
    assert ("fence_with_talk" in doubts) == (is_line and 3 <= length <= 64)
