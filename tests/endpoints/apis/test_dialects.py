"""How each kind of service is spoken to, and what it says."""

from __future__ import annotations

import json

import pytest

from toolproto.endpoints.apis.anthropic.client import Anthropic
from toolproto.endpoints.apis.dialect import END
from toolproto.endpoints.apis.dialects import (
    DIALECTS,
    get_dialect,
)
from toolproto.endpoints.apis.frames import Frame
from toolproto.endpoints.apis.google.client import Gemini
from toolproto.endpoints.apis.ollama.client import Ollama
from toolproto.endpoints.apis.openai_chat.azure import AzureOpenAI
from toolproto.endpoints.apis.openai_chat.client import OpenAIChat
from toolproto.endpoints.apis.openai_completions.client import (
    CHATML,
    OpenAICompletions,
    PromptTemplate,
)
from toolproto.protocol.errors import EndpointError, UsageError, WireError
from toolproto.protocol.messages import Attachment, ChatRequest, Chunk, Message, ToolCall, Usage

REQUEST = ChatRequest(
    (
        Message("system", "Be brief. It is Monday."),
        Message("user", "Hi"),
        Message("assistant", "Hello", calls=(ToolCall("f", {}),), reasoning="hm"),
        Message("user", "Bye"),
    ),
    stop=("</call>", "\n"),
    params={"temperature": 0.5, "max_tokens": 9},
    stable_prefix=9,
)
TURNS = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "Bye"},
]
SYSTEM = {"role": "system", "content": "Be brief. It is Monday."}


# -- requests -----------------------------------------------------------------------------


def test_openai_chat_asks_for_a_stream_with_counts_and_never_for_tools():
    assert OpenAIChat().body(REQUEST, "m") == {
        "model": "m",
        "messages": [SYSTEM, *TURNS],
        "stream": True,
        "stream_options": {"include_usage": True},
        "stop": ["</call>", "\n"],
        "temperature": 0.5,
        "max_tokens": 9,
    }


def test_openai_chat_leaves_out_what_is_empty_or_switched_off():
    body = OpenAIChat(include_usage=False).body(ChatRequest(()), "m")
    assert body == {"model": "m", "messages": [], "stream": True}


def test_openai_takes_four_stop_sequences_at_most():
    body = OpenAIChat().body(ChatRequest((), stop=tuple("abcdef")), "m")
    assert body["stop"] == ["a", "b", "c", "d"]


def test_completions_write_the_messages_into_a_prompt_and_stop_at_its_end_marker():
    body = OpenAICompletions().body(REQUEST, "m")
    assert body["prompt"].startswith("<|im_start|>system\nBe brief. It is Monday.<|im_end|>\n")
    assert body["prompt"].endswith("<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n")
    assert body["stop"] == ["<|im_end|>", "</call>", "\n"]
    assert "messages" not in body and body["stream"] is True


def test_completions_take_a_template_of_ones_own():
    def lines(messages):
        return "".join(f"{each.role}: {each.content}\n" for each in messages) + "assistant:"

    body = OpenAICompletions(template=lines).body(REQUEST, "m")
    assert body["prompt"].endswith("user: Bye\nassistant:")
    assert body["stop"] == ["</call>", "\n"]
    body = OpenAICompletions(template=PromptTemplate(lines, "\n")).body(REQUEST, "m")
    assert body["stop"] == ["\n", "</call>"]
    assert CHATML.end == "<|im_end|>"


def test_anthropic_gets_the_system_message_apart_and_no_blank_stop_sequence():
    assert Anthropic().body(REQUEST, "m") == {
        "model": "m",
        "max_tokens": 9,
        "system": "Be brief. It is Monday.",
        "messages": TURNS,
        "stop_sequences": ["</call>"],
        "stream": True,
        "temperature": 0.5,
    }
    assert Anthropic().body(ChatRequest(()), "m") == {
        "model": "m",
        "max_tokens": 4096,
        "messages": [],
        "stream": True,
    }


def test_anthropic_marks_the_stable_part_for_the_cache():
    kept, rest = Anthropic(cache=True).body(REQUEST, "m")["system"]
    assert kept == {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    assert rest == {"type": "text", "text": " It is Monday."}
    whole = ChatRequest((Message("system", "Be brief."),), stable_prefix=9)
    assert [each["text"] for each in Anthropic(cache=True).body(whole, "m")["system"]] == [
        "Be brief."
    ]


def test_ollama_gets_its_parameters_as_options():
    params = {"temperature": 0.5, "max_tokens": 9, "think": True, "options": {"seed": 1}}
    body = Ollama().body(ChatRequest(REQUEST.messages, ("x",), params), "m")
    assert body == {
        "model": "m",
        "messages": [SYSTEM, *TURNS],
        "stream": True,
        "options": {"stop": ["x"], "temperature": 0.5, "num_predict": 9, "seed": 1},
        "think": True,
    }
    assert "options" not in Ollama().body(ChatRequest(()), "m")


def test_each_service_is_shown_the_key_in_its_own_header():
    assert OpenAIChat().headers("k") == {"Authorization": "Bearer k"}
    assert Anthropic().headers("k") == {"anthropic-version": "2023-06-01", "x-api-key": "k"}
    assert all("k" not in dialect.headers(None).values() for dialect in DIALECTS.values())


def test_a_dialect_is_chosen_by_name_or_given():
    mine = Anthropic(cache=True)
    assert get_dialect(mine) is mine
    assert get_dialect("ollama") == Ollama()
    with pytest.raises(UsageError, match=r"no dialect 'bedrock'.*'openai_chat'"):
        get_dialect("bedrock")


# -- replies ------------------------------------------------------------------------------


def delta(**fields):
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


CHUNKS = [
    ("openai_chat", "", delta(role="assistant", content=""), Chunk()),
    ("openai_chat", "", delta(content="Hi"), Chunk("Hi")),
    ("openai_chat", "", delta(content=None, reasoning_content="hm"), Chunk(reasoning="hm")),
    ("openai_chat", "", delta(content="", reasoning="hm"), Chunk(reasoning="hm")),
    ("openai_chat", "", delta(content=None, refusal="No."), Chunk("No.")),
    (
        "openai_chat",
        "",
        delta(
            content=[
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "Hi"},
            ]
        ),
        Chunk("Hi", "hm"),
    ),
    (
        "openai_chat",
        "",
        {"choices": [{"delta": {"content": "!"}, "finish_reason": "length"}], "usage": None},
        Chunk("!", finish_reason="length"),
    ),
    (
        "openai_chat",
        "",
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}},
        Chunk(usage=Usage(3, 4)),
    ),
    ("openai_chat", "", {"choices": [{"index": 1, "delta": {"content": "other"}}]}, None),
    ("openai_chat", "", {"object": "chat.completion.chunk"}, None),
    (
        "openai_chat",
        "",
        {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": True}},
        Chunk(finish_reason="stop"),
    ),
    ("openai_completions", "", {"choices": [{"text": "Hi", "index": 0}]}, Chunk("Hi")),
    (
        "openai_completions",
        "",
        {"choices": [{"text": "", "finish_reason": "stop"}]},
        Chunk(finish_reason="stop"),
    ),
    (
        "anthropic",
        "message_start",
        {
            "type": "message_start",
            "message": {
                "id": "msg_1",
                "usage": {"input_tokens": 5, "cache_read_input_tokens": 20, "output_tokens": 1},
            },
        },
        Chunk(usage=Usage(25, 1)),
    ),
    (
        "anthropic",
        "content_block_start",
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        None,
    ),
    ("anthropic", "ping", {"type": "ping"}, None),
    (
        "anthropic",
        "content_block_delta",
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hi"}},
        Chunk("Hi"),
    ),
    (
        "anthropic",
        "content_block_delta",
        {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}},
        Chunk(reasoning="hm"),
    ),
    (
        "anthropic",
        "content_block_delta",
        {"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "E"}},
        None,
    ),
    ("anthropic", "content_block_stop", {"type": "content_block_stop", "index": 0}, None),
    (
        "anthropic",
        "message_delta",
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 15},
        },
        Chunk(finish_reason="stop", usage=Usage(0, 15)),
    ),
    ("anthropic", "message_stop", {"type": "message_stop"}, END),
    (
        "ollama",
        "",
        {"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": False},
        Chunk("Hi"),
    ),
    ("ollama", "", {"message": {"content": "", "thinking": "hm"}}, Chunk(reasoning="hm")),
    (
        "ollama",
        "",
        {
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "length",
            "prompt_eval_count": 26,
            "eval_count": 282,
        },
        Chunk(finish_reason="length", usage=Usage(26, 282)),
    ),
    ("ollama", "", {"done": True}, Chunk(finish_reason="stop")),
]


@pytest.mark.parametrize("dialect, event, body, chunk", CHUNKS)
def test_frames_as_the_services_send_them(dialect, event, body, chunk):
    assert DIALECTS[dialect].read(Frame(event, json.dumps(body))) == chunk


@pytest.mark.parametrize(
    "theirs, ours",
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop_sequence"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
    ],
)
def test_anthropics_reasons_are_translated(theirs, ours):
    body = {"type": "message_delta", "delta": {"stop_reason": theirs}}
    assert Anthropic().read(Frame("", json.dumps(body))).finish_reason == ours


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", "tool_calls"])
def test_openais_reasons_stay(reason):
    body = {"choices": [{"delta": {}, "finish_reason": reason}]}
    assert OpenAIChat().read(Frame("", json.dumps(body))).finish_reason == reason


def test_done_ends_an_openai_stream():
    assert OpenAIChat().read(Frame("", "[DONE]")) is END
    assert OpenAICompletions().read(Frame("", "[DONE]")) is END


WHOLE = [
    (
        "openai_chat",
        {
            "choices": [
                {
                    "message": {"content": "Hi", "reasoning_content": "hm"},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2},
        },
    ),
    (
        "openai_completions",
        {
            "choices": [{"text": "Hi", "reasoning": "hm", "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2},
        },
    ),
    (
        "anthropic",
        {
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 2},
        },
    ),
    (
        "ollama",
        {
            "message": {"content": "Hi", "thinking": "hm"},
            "done": True,
            "prompt_eval_count": 1,
            "eval_count": 2,
        },
    ),
]


@pytest.mark.parametrize("dialect, body", WHOLE)
def test_a_reply_that_was_not_streamed_is_read_too(dialect, body):
    assert DIALECTS[dialect].read_whole(body) == Chunk("Hi", "hm", "stop", Usage(1, 2))


@pytest.mark.parametrize(
    "dialect, data, words",
    [
        ("openai_chat", '{"error": {"message": "overloaded", "code": 503}}', "overloaded"),
        ("openai_chat", '{"error": "out of memory"}', "out of memory"),
        ("openai_completions", '{"error": {"detail": "no"}}', "no"),
        ("anthropic", '{"type": "error", "error": {"type": "t", "message": "Busy"}}', "Busy"),
        ("ollama", '{"error": "model not found"}', "model not found"),
    ],
)
def test_an_error_inside_a_stream_is_raised_with_its_words(dialect, data, words):
    with pytest.raises(EndpointError, match=words) as caught:
        DIALECTS[dialect].read(Frame("error", data))
    assert not isinstance(caught.value, WireError)
    assert caught.value.body == data


HOSTILE = [
    "",
    "nonsense",
    "null",
    "[1]",
    '"text"',
    "[" * 100_000,
    '{"a":' * 100_000,
    '{"choices": 5}',
    '{"choices": "x"}',
    '{"choices": [null]}',
    '{"choices": {"0": 1}}',
    '{"choices": [{"delta": "text"}]}',
    '{"choices": [{"delta": {"content": 5}}]}',
    '{"choices": [{"delta": {"content": [5]}}]}',
    '{"choices": [{"delta": {"content": [{"thinking": {"x": 1}}]}}]}',
    '{"choices": [{"delta": {"content": [{"thinking": [[]]}]}}]}',
    '{"choices": [{"delta": {}, "text": {}, "finish_reason": {"a": 1}}]}',
    '{"choices": [], "usage": {"prompt_tokens": "many", "completion_tokens": -5}}',
    '{"choices": [], "usage": [1, 2]}',
    '{"type": "content_block_delta"}',
    '{"type": "content_block_delta", "delta": {"text": {}}}',
    '{"type": "message_start", "message": 7}',
    '{"type": "message_delta", "delta": {"stop_reason": []}, "usage": 9}',
    '{"type": {"a": 1}}',
    '{"type": "error"}',
    '{"error": [[[[[[1]]]]]]}',
    '{"error": {"error": {"error": {"error": {"error": {}}}}}}',
    '{"message": [1], "done": "yes"}',
    '{"message": {"content": {"a": 1}}}',
    '{"done": true, "done_reason": 5}',
    '{"n": ' + "9" * 5000 + "}",
    '{"choices": [{"delta": {"content": "\\ud800"}}]}',
    "{} {}",
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_a_frame_holds_is_read_or_refused(dialect, data):
    try:
        chunk = DIALECTS[dialect].read(Frame("", data))
    except EndpointError as error:
        assert len(str(error)) < 1000
    else:
        assert chunk is None or isinstance(chunk, Chunk)


PNG = Attachment("image/png", "aGk=")
PAGE = Attachment("application/pdf", "aGk=", name="a.pdf")
LINKED = Attachment("image/*", url="https://a.b/c.png")
FORGOTTEN = Attachment("image/*", url="file file-1")
SEEN = {
    "openai_chat": (
        [PNG, PAGE, LINKED],
        {
            "content": [
                {"type": "text", "text": "Look."},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                {
                    "type": "file",
                    "file": {
                        "filename": "a.pdf",
                        "file_data": "data:application/pdf;base64,aGk=",
                    },
                },
                {"type": "image_url", "image_url": {"url": "https://a.b/c.png"}},
            ]
        },
    ),
    "anthropic": (
        [PNG, PAGE, LINKED],
        {
            "content": [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
                },
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
                    "title": "a.pdf",
                },
                {"type": "image", "source": {"type": "url", "url": "https://a.b/c.png"}},
                {"type": "text", "text": "Look."},
            ]
        },
    ),
    "ollama": ([PNG], {"content": "Look.", "images": ["aGk="]}),
    "openai_completions": ([], None),
}


@pytest.mark.parametrize("name", SEEN)
def test_what_goes_with_a_message_is_sent_as_the_service_wants_it(name):
    taken, sent = SEEN[name]
    dialect = get_dialect(name)
    assert [each for each in (PNG, PAGE, LINKED, FORGOTTEN) if dialect.takes(each)] == taken
    if sent is not None:
        message = Message("user", "Look.", attachments=tuple(taken))
        body = dialect.body(ChatRequest((message,)), "m")
        assert body["messages"] == [{"role": "user", **sent}]


@pytest.mark.parametrize("told, ours", [("END", "stop_sequence"), (None, "stop"), (128001, "stop")])
def test_a_stop_sequence_is_told_apart_where_the_service_says_which(told, ours):
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", "stop_reason": told}
    assert OpenAIChat().read(Frame("", json.dumps({"choices": [choice]}))).finish_reason == ours


# -- Gemini, Azure: as their references show requests and replies -----------------------------


def data(body: object) -> Frame:
    return Frame("", json.dumps(body))


def test_gemini_gets_its_own_names_and_the_system_message_apart():
    assert Gemini().body(REQUEST, "gemini-2.5-flash") == {
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": "Hello"}]},
            {"role": "user", "parts": [{"text": "Bye"}]},
        ],
        "systemInstruction": {"parts": [{"text": "Be brief. It is Monday."}]},
        "generationConfig": {
            "stopSequences": ["</call>", "\n"],
            "temperature": 0.5,
            "maxOutputTokens": 9,
        },
    }
    params = {"safetySettings": [1], "generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}
    body = Gemini().body(ChatRequest((Message("user", "Hi"),), params=params), "m")
    assert body["safetySettings"] == [1]
    assert body["generationConfig"] == {"thinkingConfig": {"thinkingBudget": 0}}


def test_gemini_has_the_model_in_its_path_and_the_key_in_a_header():
    path = "/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    assert Gemini().path_of("gemini-2.5-flash") == path
    assert Gemini().path_of("tunedModels/mine").startswith("/tunedModels/mine:stream")
    assert Gemini().path_of("a?b#c") == "/models/a%3Fb%23c:streamGenerateContent?alt=sse"
    assert Gemini().headers("k") == {"x-goog-api-key": "k"}


def test_gemini_is_sent_pictures():
    seen = (Attachment("image/png", "QUJD"), Attachment("image/*", url="https://x.org/a.png"))
    assert all(map(Gemini().takes, seen))
    body = Gemini().body(ChatRequest((Message("user", "?", attachments=seen),)), "m")
    assert body["contents"][0]["parts"] == [
        {"text": "?"},
        {"inlineData": {"mimeType": "image/png", "data": "QUJD"}},
        {"fileData": {"fileUri": "https://x.org/a.png"}},
    ]


def test_gemini_tells_text_thoughts_and_why_it_ended():
    said = {"parts": [{"text": "hm", "thought": True}, {"text": "Hi"}], "role": "model"}
    counts = {"promptTokenCount": 4, "candidatesTokenCount": 2, "thoughtsTokenCount": 3}
    frame = {"candidates": [{"content": said, "finishReason": "STOP"}], "usageMetadata": counts}
    assert Gemini().read(data(frame)) == Chunk("Hi", "hm", "stop", Usage(4, 5))
    assert Gemini().read(data({"usageMetadata": {}})) is None
    with pytest.raises(EndpointError, match="SAFETY"):
        Gemini().read(data({"promptFeedback": {"blockReason": "SAFETY"}}))
    with pytest.raises(EndpointError, match="API key not valid"):
        Gemini().read(data({"error": {"code": 400, "message": "API key not valid."}}))
    with pytest.raises(WireError):
        Gemini().read(data({"candidates": ["x"]}))
    with pytest.raises(WireError):
        Gemini().read_whole({})


def test_azure_has_deployment_and_version_in_its_path():
    azure = AzureOpenAI()
    expected = "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"
    assert azure.path_of("my gpt") == expected
    assert azure.headers("k") == {"api-key": "k"}
    assert AzureOpenAI(entra=True).headers("k") == {"Authorization": "Bearer k"}
    assert azure.body(REQUEST, "m") == OpenAIChat().body(REQUEST, "m")
    first = {"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}
    assert azure.read(data(first)) is None


def test_calls_that_ollama_read_itself_are_written_out_where_that_is_asked_for():
    call = {"function": {"name": "now", "arguments": {"zone": "Oslo"}}}
    body = {"message": {"content": "Let me see.", "tool_calls": [call]}, "done": True}
    assert Ollama().read_whole(body).text == "Let me see."
    written = '\n<tool_call>{"name": "now", "arguments": {"zone": "Oslo"}}</tool_call>'
    assert Ollama().writing_calls().read_whole(body).text == f"Let me see.{written}"
