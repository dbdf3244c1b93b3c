"""Whatever goes to a model goes through the mask: turns, summaries, titles, and what hooks add."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from dataclasses import replace

import pytest

from toolproto import Tool, ToolSpec, tool
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.masking import Masking
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn import Compaction
from toolproto.protocol.messages import Attachment, Chunk, Message

from .test_turns import call

SPELLINGS = ["Ada Lovelace", "ADA LOVELACE", "Ada\u00a0Lovelace", "Ada\nLovelace"]
PRIVATE = re.compile(r"(?i)ada|lovelace")


def masking():
    return Masking({"name": "Ada Lovelace"}, nonce=lambda: "4F9A2C1B")


def sent(play):
    """All that the model was told, of every request."""
    return [
        json.dumps([[m.role, m.content] for m in request.messages], ensure_ascii=False)
        + json.dumps([list(request.stop), dict(request.params)], default=str)
        for request in play.endpoint.requests
    ]


@tool
def look(who: str) -> str:
    """Look somebody up."""
    return " / ".join([*SPELLINGS, who])


def test_a_title_is_asked_for_without_what_is_private(play):
    play(call("look", '{"who": "x"}'), "Hello.", "PRIVATE-NAME-4F9A2C1B writes", tools=[look],
         masking=masking(), store=MemoryStore(), id="x")  # fmt: skip
    play.send(f"I am {' or '.join(SPELLINGS)}.")
    made = play.session.make_title()
    title = made if isinstance(made, str) else play.runner.run(made)
    assert title == "Ada Lovelace writes"
    assert len(play.endpoint.requests) == 3
    assert [text for text in sent(play) if PRIVATE.search(text)] == []


def test_a_title_that_never_ends_is_not_waited_for(play):
    endless = [Chunk("a " * 1000) for _ in range(50)]
    play("Hello.", endless, store=MemoryStore(), id="x").send()
    made = play.session.make_title()
    title = made if isinstance(made, str) else play.runner.run(made)
    assert 0 < len(title) <= 30


def test_a_summary_is_asked_for_without_what_is_private(play):
    replies = [f"Noted. {'word ' * 200}"] * 3
    summary = "PRIVATE-NAME-4F9A2C1B asked."
    play(*replies, summary, "Bye.", masking=masking(), compaction=Compaction(budget=900))
    for said in (*SPELLINGS[:3], "More."):
        play.send(f"I am {said}. {'word ' * 50}")
    assert len(play.endpoint.requests) > 4
    assert [text for text in sent(play) if PRIVATE.search(text)] == []


class Telling(Hooks):
    def on_before_request(self, moment):
        said = (*moment.request.messages, Message("user", "Remember ADA LOVELACE."))
        return replace(moment.request, messages=said)

    def transform_params(self, params):
        return {**params, "user": "ada lovelace"}


def test_what_a_hook_adds_is_masked_too(play):
    play("Hello PRIVATE-NAME-4F9A2C1B.", masking=masking(), hooks=[Telling()])
    result = play.send("I am Ada Lovelace.")
    assert result.text == "Hello Ada Lovelace."
    assert [text for text in sent(play) if PRIVATE.search(text)] == []
    assert "PRIVATE-NAME-4F9A2C1B" in sent(play)[0]  # what was hidden before stays so


@pytest.mark.parametrize("choices, held", [(["Ada Lovelace", "Bob"], False), (["Bob"], True)])
def test_no_grammar_is_sent_that_holds_what_is_private(play, choices, held):
    schema = {"type": "object", "properties": {"who": {"enum": choices}}}
    write = Tool(ToolSpec("write", "Write to somebody.", schema), str)
    play("Hello.", tools=[write], masking=masking(), constrain="auto").send()
    assert (play.endpoint.requests[0].constraint is not None) == held


def test_what_is_attached_is_masked_as_far_as_it_is_text(play):
    text = b64encode(b"Dear ADA LOVELACE,").decode()
    page = Attachment("text/plain", data=text, name="ada lovelace.txt")
    picture = Attachment("image/png", url="https://x.example/Ada%20Lovelace.png")
    play("Hello.", masking=masking())
    play.send(Message("user", "Look.", attachments=(page, picture)))
    sent = play.endpoint.requests[0].messages[-1].attachments
    assert len(sent) == 2
    told = [b64decode(sent[0].data).decode(), sent[0].name, sent[1].url]
    assert [each for each in told if PRIVATE.search(each.replace("%20", " "))] == []


def test_a_value_that_lies_over_the_end_of_the_stable_prompt_is_masked(play):
    play("Hello.", masking=masking(), system="You serve Ada", hooks=[Appending()]).send()
    system = play.endpoint.requests[0].messages[0].content
    assert not PRIVATE.search(system.replace("PRIVATE", ""))


class Appending(Hooks):
    def transform_system(self, text):
        return text.replace("You serve Ada", "You serve Ada\nLovelace")
