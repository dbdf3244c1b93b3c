"""An explanation as JSON: whole, whatever the reply holds."""

from __future__ import annotations

import json

import pytest

from toolproto import ToolOffer, ToolSpec, get_paradigm
from toolproto.testing.explain import Explanation, as_json, explain_reply, in_chunks

XML = get_paradigm("xml_tag")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
OFFER = ToolOffer((ToolSpec("get_weather", "Current weather.", CITY),))
REPLY = """<think>Or:
<tool_code>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_code>
</think>Let me look.
<tool_code>{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}</tool_code>
<tool_code>{"name": "get_weather", "arguments": {}}</tool_code>"""

#: What may stand anywhere in a reply: in text, thinking, a name, an argument.
HOSTILE = {
    "a script": "</script><script>alert(1)</script>",
    "an image": "<img src=x onerror=alert(1)>",
    "an attribute": '" onmouseover="alert(1)" x=\'',
    "the end of the page": "</pre></body></html><!--",
    "the end of the style": "</style><style>* { display: none }</style>",
    "an entity": "&lt;script&gt;&#x27;&amp;",
    "an escape sequence": "\x1b]52;c;cm0gLXJm\x07\x1b[2J",
    "another direction": "\u202egnp.exe\u2066",
    "nothing to see": "\u200b\u2060\ufeff\u00ad",
    "half a character": "\ud800",
    "a zero": "\x00\x08\x7f\x85",
    "a format": "{title} {style} {body} %s {0}",
}


def explained(reply: str = REPLY) -> Explanation:
    return explain_reply(reply, XML, OFFER, chunks=in_chunks(reply, 9))


@pytest.mark.parametrize("case", HOSTILE)
def test_all_of_it_is_json(case: str) -> None:
    reply = f"{REPLY}\n\n{HOSTILE[case]}."
    told = json.loads(json.dumps(as_json(explained(reply))))
    assert "".join(part["text"] for part in told["parts"]) == reply
    assert [each["verdict"] for each in told["findings"]] == ["ignored", "repaired", "rejected"]
    assert told["findings"][0]["reasons"] == ["thinking"]
    assert told["findings"][1]["repairs"][0]["grade"] == "lossless"
    assert told["findings"][2]["told"].startswith("Your call of")
    assert told["steps"][-1]["read"] == told["characters"]
