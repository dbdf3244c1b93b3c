"""Google's own client, for the Gemini API; functions serve as tools."""

from __future__ import annotations

import httpx
from asking import (
    IN_PROCESS,
    TOOLS,
    URL,
    Call,
    Refused,
    Reply,
    Result,
    expect,
    order,
    play,
    transport,
)
from google import genai
from google.genai import errors, types
from usual import Client, usual

HTTP = {"httpx_client": httpx.Client(transport=transport())} if IN_PROCESS else {}
client = genai.Client(api_key="unused", http_options=types.HttpOptions(base_url=URL, **HTTP))
MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    config = terms(choice, tools)
    given = {"model": model, "contents": contents(turns), "config": config}
    if not streamed:
        return read([client.models.generate_content(**given)])
    return read(list(client.models.generate_content_stream(**given)))


def terms(choice, tools):
    declared = [
        types.FunctionDeclaration(
            name=name, description=tool["description"], parameters_json_schema=tool["parameters"]
        )
        for name, tool in tools.items()
    ]
    mode = MODES.get(choice, "ANY")
    named = None if choice in MODES else [choice]
    calling = types.FunctionCallingConfig(mode=mode, allowed_function_names=named)
    return types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=declared)] if declared else None,
        tool_config=types.ToolConfig(function_calling_config=calling) if declared else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def contents(turns):
    """The conversation; results that follow each other are one content."""
    said = []
    for turn in turns:
        match turn:
            case Reply():
                said.append(turn.native)
            case Result(call, text):
                part = types.Part.from_function_response(name=call.name, response={"result": text})
                if said and said[-1].role == "user" and said[-1].parts[0].function_response:
                    said[-1].parts.append(part)
                else:
                    said.append(types.Content(role="user", parts=[part]))
            case _:
                said.append(types.Content(role="user", parts=[types.Part(text=turn)]))
    return said


def read(responses):
    """What came, put together as the documentation says."""
    parts = [
        part
        for response in responses
        for part in (response.candidates[0].content.parts or [])
        if part.function_call or part.text
    ]
    calls = [
        Call(part.function_call.id, part.function_call.name, dict(part.function_call.args))
        for part in parts
        if part.function_call
    ]
    text = "".join(part.text for part in parts if part.text)
    last = responses[-1]
    assert last.usage_metadata.total_token_count
    finish = last.candidates[0].finish_reason.value
    return Reply(text, calls, finish, types.Content(role="model", parts=parts))


def refused(error):
    assert isinstance(error, errors.APIError), error
    headers = error.response.headers if hasattr(error.response, "headers") else {}
    return Refused(error.code, error.message, headers.get("retry-after"))


def get_weather(city: str) -> str:
    """Current weather in a city.

    Args:
        city: Its name.
    """
    return f"{city}: 4 °C"


def agent(model, streamed):
    """The client's own loop, with a function as the tool."""
    asked = order("get_weather", {"city": "Oslo"})
    config = types.GenerateContentConfig(tools=[get_weather])
    given = {"model": model, "contents": asked, "config": config}
    if streamed:
        chunks = client.models.generate_content_stream(**given)
        text = "".join(chunk.text or "" for chunk in chunks)
    else:
        text = client.models.generate_content(**given).text
    assert text.endswith("I was told: Oslo: 4 °C") or "Oslo: 4 °C" in text, text


def chat(model, streamed):
    """The client's own memory of a conversation."""
    talk = client.chats.create(model=model, config=terms("auto", TOOLS))
    asked = order("now", {})
    if streamed:
        calls = [c for chunk in talk.send_message_stream(asked) for c in chunk.function_calls or []]
    else:
        calls = talk.send_message(asked).function_calls
    expect([call.name for call in calls], ["now"])
    part = types.Part.from_function_response(name="now", response={"output": "noon"})
    expect(talk.send_message(part).text, "I was told: noon")


def lists_and_counts(model, streamed):
    """What there is, and how much a request would cost."""
    assert model in [each.name.removeprefix("models/") for each in client.models.list()]
    assert "generateContent" in client.models.get(model=model).supported_actions
    assert client.models.count_tokens(model=model, contents="Hello there").total_tokens > 1


if __name__ == "__main__":
    client_ = Client(ask, refused, ends=("STOP", "STOP"))
    more = {"agent": agent, "chat": chat, "lists_and_counts": lists_and_counts}
    play({**usual(client_, ("one_at_a_time",)), **more})
