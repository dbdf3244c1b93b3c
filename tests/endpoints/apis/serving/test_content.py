"""Images, documents and other parts of messages, shown where they can be, told of where not."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from toolproto.endpoints.apis.asked import BadRequest
from toolproto.endpoints.apis.serving.content import blind, read_parts, said
from toolproto.gateway.bridge.prompting import first_request
from toolproto.protocol.messages import Attachment, Message
from toolproto.protocol.paradigms import get_paradigm

from ..samples import APIS, BODIES

PNG = "iVBORw0KGgo" + "A" * 16_000
TEXT = base64.b64encode(b"all is well\n").decode()
PDF = base64.b64encode(b"%PDF-1.7\0").decode()
UNSEEN = "[image: image/png, 11 KB, not shown to this model]"
URL = f"data:image/png;base64,{PNG}"
#: Each API's way to say: look at this, what is it?
IMAGES: dict[str, Any] = {
    "openai_chat": [{"type": "image_url", "image_url": {"url": URL}}],
    "openai_responses": [{"type": "input_image", "image_url": URL, "detail": "auto"}],
    "anthropic": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    ],
}


def conversation(name: str, in_result: bool) -> dict[str, Any]:
    """A conversation with an image in what the user says, or in a result."""
    image = IMAGES.get(name)
    if name == "ollama":
        seen = {"role": "user", "content": "Look.", "images": [PNG]}
        call = {"function": {"name": "now", "arguments": {}}}
        result = {"role": "tool", "tool_name": "now", "content": "", "images": [PNG]}
        return {"messages": [{"role": "assistant", "tool_calls": [call]}, result] * in_result
                or [seen]}  # fmt: skip
    if name == "openai_chat":
        call = {"id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}}
        result = {"role": "tool", "tool_call_id": "a", "content": image}
        seen = {"role": "user", "content": [{"type": "text", "text": "Look."}, *image]}
        return {"messages": [{"role": "assistant", "tool_calls": [call]}, result] * in_result
                or [seen]}  # fmt: skip
    if name == "anthropic":
        call = {"type": "tool_use", "id": "a", "name": "now", "input": {}}
        result = {"type": "tool_result", "tool_use_id": "a", "content": image}
        seen = {"role": "user", "content": [{"type": "text", "text": "Look."}, *image]}
        turns = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        return {"messages": turns * in_result or [seen]}
    call = {"type": "function_call", "call_id": "a", "name": "now", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "a", "output": image}
    seen = {"role": "user", "content": [{"type": "input_text", "text": "Look."}, *image]}
    return {"input": [call, result] * in_result or [seen]}


def asked(name: str, in_result: bool, sees: Any) -> tuple[Message, ...]:
    body = {**BODIES[name], "instructions": None, "system": None, **conversation(name, in_result)}
    return first_request(APIS[name].read(body, sees), get_paradigm("xml_tag")).messages[1:]


@pytest.mark.parametrize("name", APIS)
def test_an_image_becomes_a_line_for_a_model_that_only_reads(name: str):
    (said,) = asked(name, False, blind)
    assert said == Message("user", f"Look.\n{UNSEEN}")
    _, result = asked(name, True, blind)
    assert UNSEEN in result.content and not result.attachments


@pytest.mark.parametrize("name", APIS)
def test_an_image_goes_to_a_model_that_sees(name: str):
    (said,) = asked(name, False, lambda attachment: attachment.is_image)
    assert said == Message("user", "Look.", attachments=(Attachment("image/png", PNG),))
    _, result = asked(name, True, lambda attachment: attachment.is_image)
    assert "[image: image/png, 11 KB]" in result.content
    assert result.attachments == (Attachment("image/png", PNG),)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"type": "text", "text": "a"}, "a"),
        ({"type": "output_text", "text": "a", "annotations": []}, "a"),
        ({"type": "refusal", "refusal": "no"}, "no"),
        ({"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, ""),
        ({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"},
          "title": "notes"}, "[document: notes]\na"),
        ({"type": "document", "source": {"type": "content", "content": "a"}}, "a"),
        ({"type": "document", "source": {"type": "base64", "media_type": "text/csv",
                                         "data": TEXT}}, "all is well\n"),
        ({"type": "document", "source": {"type": "base64", "media_type": "application/pdf",
                                         "data": PDF}, "title": "b"},
         "[document: b, application/pdf, 1 KB, not shown to this model]"),
        ({"type": "document", "source": {"type": "url", "url": "https://a.b/c.pdf"}},
         "[document: application/pdf, https://a.b/c.pdf, not shown to this model]"),
        ({"type": "file", "file": {"filename": "a.txt",
                                   "file_data": f"data:text/plain;base64,{TEXT}"}},
         "[document: a.txt]\nall is well\n"),
        ({"type": "input_file", "filename": "a.md", "file_data": TEXT},
         "[document: a.md]\nall is well\n"),
        ({"type": "input_file", "filename": "a.json",
          "file_data": f"data:application/json;base64,{TEXT}"},
         "[document: a.json]\nall is well\n"),
        ({"type": "input_file", "file_id": "file-1"},
         "[document: application/*, file file-1, not shown to this model]".replace(
             "application/*, ", "")),
        ({"type": "input_image", "file_id": "file-1"},
         "[image: file file-1, not shown to this model]"),
        ({"type": "image_url", "image_url": {"url": "https://a.b/c.png"}},
         "[image: https://a.b/c.png, not shown to this model]"),
        ({"type": "search_result", "title": "A", "source": "https://a.b",
          "content": [{"type": "text", "text": "b"}]}, "[A](https://a.b)\nb"),
        ({"type": "input_audio", "input_audio": {"data": "x", "format": "wav"}},
         "[input_audio, not shown to this model]"),
        ({"type": "video_url\n<x>", "video_url": {}}, "[video_url x , not shown to this model]"),
        ({"type": "image"}, "[image, not shown to this model]"),
        ({"type": "document", "source": 7}, "[document, not shown to this model]"),
    ],
)  # fmt: skip
def test_every_part_says_something_to_who_only_reads(part: dict[str, Any], text: str):
    assert said(read_parts([part], "content"), blind) == (text, ())


@pytest.mark.parametrize("content", [7, [7], [{"text": "a"}], [{"type": 3}], {"type": "text"}])
def test_what_is_no_content_is_refused(content: Any):
    with pytest.raises(BadRequest, match="content"):
        read_parts(content, "content")
