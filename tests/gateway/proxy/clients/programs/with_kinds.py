"""OpenAI's own client, with tools that are no functions, and with what a service remembers.

Everything that comes is held against the client's own types, which it does not do by itself.
"""

from __future__ import annotations

import openai
from asking import URL, expect, http_client, order, play
from openai import APIStatusError, NotFoundError, OpenAI
from openai.types import Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

client = OpenAI(base_url=f"{URL}/v1", api_key="unused", max_retries=0, **http_client(openai))
EVENT = TypeAdapter(ResponseStreamEvent)
NOW = {"type": "function", "name": "now", "parameters": {"type": "object"}, "strict": False}
GRAMMAR = {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"}
PATCH = {"type": "custom", "name": "patch", "description": "Change files.", "format": GRAMMAR}
TEXT = '*** Begin Patch\n+a "b" \\ é 😀\n*** End Patch'
PIXEL = "data:image/png;base64,iVBORw0KGgo="


def respond(model, streamed, input, **more):
    """A response, valid by the client's own types in every part of it."""
    given = {"model": model, "input": input, **more}
    if not streamed:
        raw = client.responses.with_raw_response.create(**given)
        return Response.model_validate_json(raw.http_response.content)
    last = None
    for event in client.responses.create(stream=True, **given):
        last = EVENT.validate_python(event.to_dict(mode="json"))
    assert last.type == "response.completed", last
    return last.response


def item_of(response, kind):
    found = [item for item in response.output if item.type == kind]
    expect([item.type for item in response.output if item.type != "message"], [kind])
    return found[0]


def custom(model, streamed):
    """Text in, text out, in the item that belongs to it; and its result."""
    asked = [{"role": "user", "content": order("patch", {"input": TEXT})}]
    response = respond(model, streamed, asked, tools=[PATCH, {"type": "web_search"}])
    call = item_of(response, "custom_tool_call")
    expect((call.name, call.input), ("patch", TEXT))
    given = call.to_dict(mode="json")
    result = {"type": "custom_tool_call_output", "call_id": call.call_id, "output": "done"}
    again = respond(model, streamed, [*asked, given, result], tools=[PATCH])
    expect(again.output_text, "I was told: done")


def custom_in_chat(model, streamed):
    """The same, in chat completions."""
    tool = {"type": "custom", "custom": {"name": "patch", "description": "Change files."}}
    messages = [{"role": "user", "content": order("patch", {"input": TEXT})}]
    given = {"model": model, "messages": messages, "tools": [tool]}
    if streamed:
        chunks = [each.to_dict(mode="json") for each in client.chat.completions.create(
            stream=True, **given)]  # fmt: skip
        calls = [c for each in chunks for c in each["choices"][0]["delta"].get("tool_calls", [])]
        expect("".join(call["custom"]["input"] for call in calls), TEXT)
        # The client's types know only functions here; all else has to fit.
        for chunk in chunks:
            chunk["choices"][0]["delta"].pop("tool_calls", None)
            ChatCompletionChunk.model_validate(chunk)
        return
    raw = client.chat.completions.with_raw_response.create(**given)
    (choice,) = ChatCompletion.model_validate_json(raw.http_response.content).choices
    expect(choice.message.tool_calls[0].custom.input, TEXT)
    expect(choice.finish_reason, "tool_calls")


def namespace(model, streamed):
    """The member of a namespace is called, and the call says of which."""
    space = {"type": "namespace", "name": "clock", "description": "Of time.", "tools": [NOW]}
    response = respond(model, streamed, order("clock__now", {}), tools=[space])
    call = item_of(response, "function_call")
    expect((call.name, call.namespace, call.arguments), ("now", "clock", "{}"))


KNOWN = {
    "local_shell_call": ("local_shell", {"command": ["ls", "-l"]}),
    "shell_call": ("shell", {"commands": ["ls"]}),
    "apply_patch_call": ("apply_patch", {"type": "create_file", "path": "a", "diff": "+b"}),
    "computer_call": ("computer", {"type": "click", "x": 1, "y": 2, "button": "left"}),
}


def known_kinds(model, streamed):
    """Tools that have a type and no schema."""
    for kind, (name, arguments) in KNOWN.items():
        tool = {"type": "computer_use_preview", "display_width": 1, "display_height": 1,
                "environment": "linux"} if name == "computer" else {"type": name}  # fmt: skip
        response = respond(model, streamed, order(name, arguments), tools=[tool])
        item_of(response, kind)


def remembered(model, streamed):
    """The conversation goes on by the id of a response, or by the ids of its items."""
    first = respond(model, streamed, order("now", {}), tools=[NOW])
    assert first.store
    call = item_of(first, "function_call")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "noon"}
    by_id = respond(model, streamed, [result], tools=[NOW], previous_response_id=first.id)
    expect((by_id.output_text, by_id.previous_response_id), ("I was told: noon", first.id))
    references = [{"type": "item_reference", "id": item.id} for item in first.output]
    user = {"role": "user", "content": order("now", {})}
    by_items = respond(model, streamed, [user, *references, result], tools=[NOW])
    expect(by_items.output_text, "I was told: noon")
    expect(client.responses.retrieve(first.id).output[-1].call_id, call.call_id)
    expect(len(client.responses.input_items.list(first.id).data), 1)
    client.responses.delete(first.id)
    try:
        respond(model, streamed, [result], previous_response_id=first.id)
    except APIStatusError as error:
        expect((error.status_code, error.code), (400, "previous_response_not_found"))
    else:
        raise AssertionError("a response that was deleted is still known")


def images(model, streamed):
    """An image in a result does not end the conversation."""
    asked = {"role": "user", "content": order("now", {})}
    first = respond(model, streamed, [asked], tools=[NOW])
    call = item_of(first, "function_call")
    output = [{"type": "input_image", "image_url": PIXEL, "detail": "auto"}]
    result = {"type": "function_call_output", "call_id": call.call_id, "output": output}
    items = [asked, *(item.to_dict(mode="json") for item in first.output), result]
    again = respond(model, streamed, items, tools=[NOW])
    told = "I was told: [image: image/png, 1 KB, not shown to this model]"
    expect(again.output_text, told)


def lists_and_counts(model, streamed):
    """Which models there are, and how much a request would cost."""
    assert model in [each.id for each in client.models.list()]
    expect(Model.model_validate(client.models.retrieve(model).to_dict()).id, model)
    try:
        client.models.retrieve("nobody")
    except NotFoundError as error:
        expect(error.code, "model_not_found")
    counted = client.responses.input_tokens.count(model=model, input="Hello there")
    assert counted.input_tokens > 1


if __name__ == "__main__":
    play(
        {
            "custom": custom,
            "custom_in_chat": custom_in_chat,
            "namespace": namespace,
            "known_kinds": known_kinds,
            "remembered": remembered,
            "images": images,
            "lists_and_counts": lists_and_counts,
        }
    )
