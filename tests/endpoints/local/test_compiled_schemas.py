"""llama.cpp's own server is asked which schemas of tools it refuses: each of them was foretold."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

import pytest

from tests.patience import PATIENCE
from toolproto.endpoints.apis.tool_refusals import ToolRefusal, tool_refusal
from toolproto.protocol.schemas.compiling import COMPILERS, compiled

LLAMA = COMPILERS["llama.cpp"]
#: A template that shows tools, as Qwen's and Hermes' do; smollm2's own knows none.
TEMPLATE = """\
{%- if tools %}<|im_start|>system
<tools>{%- for tool in tools %}
{{ tool | tojson }}{%- endfor %}
</tools>
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == "assistant" and message.tool_calls %}<|im_start|>assistant
{%- for call in message.tool_calls %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{%- endfor %}<|im_end|>
{% elif message.role == "tool" %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

#: What trackers of llama.cpp, LM Studio and Ollama name, and what its converter's source refuses.
ARGUMENTS: dict[str, Any] = {
    "a plain one": {"type": "string", "description": "A city."},
    "email": {"type": "string", "format": "email"},
    "uuid": {"type": "string", "format": "uuid"},
    "a format that is a number": {"type": "string", "format": 5},
    "a short text": {"type": "string", "maxLength": 100},
    "a long text": {"type": "string", "maxLength": 10_000},
    "a text that must be long": {"type": "string", "minLength": 3_000},
    "a long list": {"type": "array", "items": {"type": "string"}, "minItems": 3_000},
    "a pattern without anchors": {"type": "string", "pattern": "[a-z]+"},
    "a plain pattern": {"type": "string", "pattern": "^[a-z]{2,8}(-x)*$"},
    "a pattern of classes": {"type": "string", "pattern": r"^[\w\-]+\.\d{3}$"},
    "a pattern that looks ahead": {"type": "string", "pattern": "^(?!x)[a-z]+$"},
    "zod's email": {
        "type": "string",
        "format": "email",
        "pattern": r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)@([A-Za-z0-9]+\.)+[A-Za-z]{2,}$",
    },
    "a reference": {"$ref": "#/$defs/City"},
    "a reference to elsewhere": {"$ref": "https://example.org/city.json"},
    "a reference to nowhere": {"$ref": "#/$defs/Town"},
    "a reference to itself": {"$ref": "#"},
    "an anchor": {"$ref": "#city"},
    "a reference with a slash": {"$ref": "#/$defs/a~1b"},
    "true": True,
    "anything": {},
    "only words": {"description": "What you like."},
    "only a default": {"default": 1},
    "items that are true": {"type": "array", "items": True},
    "an unknown type": {"type": "any"},
    "a file": {"type": "file"},
    "several types": {"type": ["string", "null"]},
    "an empty choice": {"anyOf": []},
    "an empty enum": {"enum": []},
    "a huge bound": {"type": "integer", "maximum": 1e30},
    "JavaScript's largest": {"type": "integer", "maximum": 9_007_199_254_740_991},
    "names by pattern": {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
    "all of one": {"allOf": [{"$ref": "#/$defs/City"}]},
    "a choice of what is required": {
        "type": "object",
        "properties": {"x": {"type": "string"}},
        "anyOf": [{"required": ["x"]}],
    },
    "not": {"not": {"type": "string"}},
    "if and then": {"if": {"type": "string"}, "then": {}, "else": {}},
}
DEFS = {"City": {"type": "string"}, "a/b": {"type": "string"}}


@pytest.fixture(scope="module")
def address(quick_path):
    library = pytest.importorskip("xllamacpp")
    params = library.CommonParams()
    params.model.path, params.n_ctx, params.n_parallel = str(quick_path), 8192, 1
    params.hostnames, params.port, params.warmup = ["127.0.0.1"], 0, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity, params.use_jinja, params.chat_template = -1, True, TEMPLATE
    server = library.Server(params)
    yield server.listening_address
    del server


def refusal(address: str, schema: Mapping[str, Any]) -> str:
    """Return what the server says of a request with a tool of *schema*; empty if it takes it."""
    function = {"name": "f", "description": "Does it.", "parameters": schema}
    asked = {
        "messages": [{"role": "user", "content": "Hi."}],
        "max_tokens": 1,
        "tools": [{"type": "function", "function": function}],
    }
    request = urllib.request.Request(
        f"{address}/v1/chat/completions",
        json.dumps(asked).encode(),
        {"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            json.load(answer)
    except urllib.error.HTTPError as error:
        body = error.read().decode()
        assert tool_refusal(error.code, body) is not None, body
        return body
    return ""


@pytest.mark.parametrize("argument", ARGUMENTS.values(), ids=ARGUMENTS)
def test_a_refusal_is_foretold_and_what_is_sent_instead_is_taken(address, argument):
    schema = {"type": "object", "properties": {"a": argument}, "$defs": DEFS}
    sent, found = compiled(schema, LLAMA)
    if refusal(address, schema):
        assert any(not each.misread for each in found)
    assert refusal(address, sent) == ""


def test_the_server_does_refuse_some(address):
    for name in ("a text that must be long", "true", "a reference to elsewhere", "an unknown type"):
        schema = {"type": "object", "properties": {"a": ARGUMENTS[name]}, "$defs": DEFS}
        body = refusal(address, schema)
        assert tool_refusal(400, body) is ToolRefusal.SCHEMA, body
