"""Anthropic's own client, with the tools that its models know, images, lists and counts.

Everything that comes is held against the client's own types, which it does not do by itself.
"""

from __future__ import annotations

import anthropic
from anthropic import Anthropic, NotFoundError
from anthropic.types import Message, ModelInfo, RawMessageStreamEvent
from asking import URL, expect, http_client, order, play
from pydantic import TypeAdapter

client = Anthropic(base_url=URL, api_key="unused", max_retries=0, **http_client(anthropic))
EVENT = TypeAdapter(RawMessageStreamEvent)
BASH = {"type": "bash_20250124", "name": "bash"}
EDITOR = {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}
SEARCH = {"type": "web_search_20250305", "name": "web_search"}


def ask(model, streamed, messages, **more):
    """A message, valid by the client's own types in every part of it."""
    given = {"model": model, "max_tokens": 1_000, "messages": messages, **more}
    if not streamed:
        raw = client.messages.with_raw_response.create(**given)
        return Message.model_validate_json(raw.http_response.content)
    for event in client.messages.create(stream=True, **given):
        valid = EVENT.validate_python(event.to_dict(mode="json"))
        if valid.type == "message_start":
            assert valid.message.usage.input_tokens > 0
    with client.messages.stream(**given) as stream:
        return stream.get_final_message()


def known_kinds(model, streamed):
    """Tools that have a type and no schema, beside one that cannot be offered."""
    tools = [BASH, EDITOR, SEARCH]
    for name, given in (
        ("bash", {"command": "ls -l"}),
        ("str_replace_based_edit_tool", {"command": "view", "path": "/a"}),
    ):
        asked = {"role": "user", "content": order(name, given)}
        message = ask(model, streamed, [asked], tools=tools)
        (use,) = [block for block in message.content if block.type == "tool_use"]
        expect((use.name, use.input), (name, given))
        result = {"type": "tool_result", "tool_use_id": use.id, "content": "done"}
        turns = [
            asked,
            {"role": "assistant", "content": message.content},
            {"role": "user", "content": [result]},
        ]
        expect(ask(model, streamed, turns, tools=tools).content[0].text, "I was told: done")


def images(model, streamed):
    """An image in a result does not end the conversation."""
    asked = {"role": "user", "content": order("bash", {"command": "shot"})}
    message = ask(model, streamed, [asked], tools=[BASH])
    use = message.content[-1]
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    shown = [{"type": "image", "source": source}]
    result = {"type": "tool_result", "tool_use_id": use.id, "content": shown}
    turns = [
        asked,
        {"role": "assistant", "content": message.content},
        {"role": "user", "content": [result]},
    ]
    told = "I was told: [image: image/png, 1 KB, not shown to this model]"
    expect(ask(model, streamed, turns, tools=[BASH]).content[0].text, told)


def lists_and_counts(model, streamed):
    """Which models there are, and how much a request would cost."""
    listed = list(client.models.list(limit=1))
    assert model in [each.id for each in listed] and len(listed) > 1
    expect(ModelInfo.model_validate(client.models.retrieve(model).to_dict()).id, model)
    try:
        client.models.retrieve("nobody")
    except NotFoundError as error:
        expect(error.body["error"]["type"], "not_found_error")
    messages = [{"role": "user", "content": "Hello there"}]
    counted = client.messages.count_tokens(model=model, messages=messages, tools=[BASH])
    assert counted.input_tokens > 50


if __name__ == "__main__":
    play({"known_kinds": known_kinds, "images": images, "lists_and_counts": lists_and_counts})
