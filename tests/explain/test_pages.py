"""An explanation as a page and as JSON: whole, and harmless."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from toolproto import ToolOffer, ToolSpec, get_paradigm
from toolproto.explain import Explanation, as_html, as_json, explain, in_chunks

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


class Seen(HTMLParser):
    """What a browser would find."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def explained(reply: str = REPLY) -> Explanation:
    return explain(reply, XML, OFFER, chunks=in_chunks(reply, 9))


def test_the_page_says_why() -> None:
    seen = Seen(as_html(explained())).text
    assert "1 repaired" in seen and "1 rejected" in seen and "1 ignored" in seen
    assert "Not run, because it is in thinking." in seen
    assert "other quotation marks" in seen
    assert "Your call of 'get_weather' could not be used" in seen


def test_the_page_needs_nothing_else() -> None:
    page = as_html(explained())
    assert not re.search(r"(?:src|href)=\"(?!#)|@import|url\(|<script", page)
    assert "prefers-color-scheme: dark" in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("case", HOSTILE)
def test_nothing_in_a_reply_is_obeyed(case: str) -> None:
    bad = HOSTILE[case]
    body = json.dumps({"name": "get_weather", "arguments": {"city": bad, bad: 1}})
    reply = f"{bad}<think>{bad}</think>{bad} `{body}`\n<tool_code>{body}</tool_code>\n"
    reply += f'<tool_code>{{"name": "x{bad}", {bad}</tool_code>{bad}'
    page, plain = Seen(as_html(explained(reply))), Seen(as_html(explained()))
    assert set(page.tags) <= set(plain.tags)
    assert page.attributes <= plain.attributes
    as_html(explained(reply)).encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]", page.text)


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
