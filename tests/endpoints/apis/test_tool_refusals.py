"""What errors of services say of the tools in a request, in the words that services really use."""

from __future__ import annotations

import json

import pytest

from toolproto.endpoints.apis.tool_refusals import ToolRefusal, failed_generation, tool_refusal

NO_TOOLS, SCHEMA, REQUEST = ToolRefusal.NO_TOOLS, ToolRefusal.SCHEMA, ToolRefusal.REQUEST


def openai(message, **more):
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


#: A status, an answer and what it says; the comment says who answers so, and where it is told.
ANSWERS = [
    # llama.cpp without --jinja (ramalama#988), and before it had tools (llama.cpp#10920).
    (500, {"error": {"code": 500, "message": "tools param requires --jinja flag"}}, NO_TOOLS),
    (500, {"error": {"code": 500, "message": "Unsupported param: tools"}}, NO_TOOLS),
    # vLLM (vllm#9986, langchain4j#3475), and its newer wording for a choice (vllm#55762).
    (
        400,
        {
            "object": "error",
            "message": '"auto" tool choice requires --enable-auto-tool-choice and '
            "--tool-call-parser to be set",
            "type": "BadRequestError",
            "code": 400,
        },
        NO_TOOLS,
    ),
    (400, openai('tool_choice="required" requires --tool-call-parser to be set'), NO_TOOLS),
    # SGLang before 0.5.3 (sglang#10184).
    (
        500,
        {"object": "error", "message": "Internal server error: Unsupported tool_call_parser: None"},
        NO_TOOLS,
    ),
    # Ollama's own API and its OpenAI API (ollama#14795, #5793, pydantic-ai#703).
    (400, {"error": "registry.ollama.ai/library/gemma3:4b does not support tools"}, NO_TOOLS),
    (400, openai("llama3 does not support tools", code=None), NO_TOOLS),
    # OpenRouter (fast-agent#122, kilocode#9006), and about a choice (zed#36094).
    (
        404,
        openai(
            'No endpoints found that support tool use. Try disabling "question". To …', code=404
        ),
        NO_TOOLS,
    ),
    (
        404,
        openai("No endpoints found that support the provided 'tool_choice' value.", code=404),
        REQUEST,
    ),
    # DeepSeek (AstrBot#2697), its choices, and its thoughts that have to go back (GitNexus#43).
    (400, openai("deepseek-reasoner does not support Function Calling."), NO_TOOLS),
    (400, openai("deepseek-reasoner does not support this tool_choice"), REQUEST),
    (
        400,
        openai(
            "Missing `reasoning_content` field in the assistant message at message index 2. For "
            "more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode"
            "#tool-calls"
        ),
        REQUEST,
    ),
    # OpenAI (inspect_ai#1290, fast-agent#279).
    (
        404,
        openai("tools is not supported in this model. For a list of supported models …"),
        NO_TOOLS,
    ),
    (400, openai("Unsupported parameter: 'tools' is not supported with this model."), NO_TOOLS),
    (
        400,
        openai(
            "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
            param="parallel_tool_calls",
        ),
        REQUEST,
    ),
    (
        400,
        openai(
            "Invalid schema for function 'f': In context=(), object schema missing properties.",
            code="invalid_function_parameters",
        ),
        SCHEMA,
    ),
    (
        400,
        openai(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'."
        ),
        REQUEST,
    ),
    (
        400,
        openai(
            "This model's maximum context length is 8192 tokens. However, your messages resulted "
            "in 9021 tokens (8021 in the messages, 1000 in the functions). Please reduce the "
            "length of the messages or functions.",
            code="context_length_exceeded",
        ),
        None,
    ),
    # Google (agno#3505, deprecated-generative-ai-js#241, GeminiDotnet#62).
    (
        400,
        {
            "error": {
                "code": 400,
                "message": "Function calling is not enabled for models/gemma-3-12b-it",
                "status": "INVALID_ARGUMENT",
            }
        },
        NO_TOOLS,
    ),
    (
        400,
        openai("Function call is missing a thought_signature in functionCall parts. …"),
        REQUEST,
    ),
    (
        400,
        openai(
            'Invalid JSON payload received. Unknown name "$ref" at \'tools[0].function_declarations'
            "[0].parameters': Cannot find field."
        ),
        SCHEMA,
    ),
    # Bedrock behind gateways (fx#900, n8n#14206).
    (400, openai("undefined: This model doesn't support tool use in streaming mode."), NO_TOOLS),
    # Groq: the model has none; its call cannot be read (groq-typescript#28, ha-groq-cloud-api#20).
    (400, openai("`tool calling` is not supported with this model"), NO_TOOLS),
    (
        400,
        openai(
            "Failed to call a function. Please adjust your prompt. See 'failed_generation' for "
            "more details.",
            code="tool_use_failed",
            failed_generation="This model does not support tools.",
        ),
        REQUEST,
    ),
    # LM Studio (page-agent#367).
    (
        400,
        {"error": "Invalid tool_choice type: 'object'. Supported string values: none, …"},
        REQUEST,
    ),
    # llama.cpp: a schema that it cannot compile (llama.cpp#26596, #14227), its own parser's fault
    # (#23838), a broken call in the history (#25510), a conversation that is too long.
    (400, openai("Failed to initialize samplers: failed to parse grammar", code=400), SCHEMA),
    (
        400,
        openai(
            "Unable to generate parser for this template. Automatic parser generation failed: JSON "
            "schema error at #/properties/b: cannot resolve $ref #/nowhere, nowhere not found"
        ),
        SCHEMA,
    ),
    (
        400,
        openai(
            "Unable to generate parser for this template. Automatic parser generation failed: "
            "Jinja Exception: No user query found in messages."
        ),
        REQUEST,
    ),
    (400, openai("JSON schema conversion failed:\nUnrecognized schema: {}", code=400), SCHEMA),
    (
        500,
        openai(
            "Failed to parse input at pos 395: <|tool_call_start|>[f(a='this model does not "
            "support tools')]<|tool_call_end|>",
            code=500,
        ),
        REQUEST,
    ),
    (500, openai("Failed to parse tool call arguments as JSON: [json.exception…]"), REQUEST),
    (400, openai("the request exceeds the available context size, try increasing it"), None),
    # Ollama with gpt-oss (ollama#17638), and 0.11.3 with the message as the key (ollama#11781).
    (500, {"error": "error parsing tool call: raw='{\"a\":1}]', err=invalid character"}, REQUEST),
    (None, {"error parsing tool call": "invalid character 'c' looking for …"}, REQUEST),
    # Anthropic with thinking (haystack-core-integrations#2146).
    (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, "
                "but found `tool_use`.",
            },
        },
        REQUEST,
    ),
    # Servers on FastAPI that refuse what they do not know, and one field within.
    (
        422,
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "input": [{}]}]},
        NO_TOOLS,
    ),
    (
        422,
        {
            "detail": [
                {"type": "extra_forbidden", "loc": ["body", "tools", 0, "function", "strict"]}
            ]
        },
        REQUEST,
    ),
    (400, openai("Unknown parameter: 'tools[0].function.strict'."), REQUEST),
    # What is not about tools: other faults, others' text, and answers about who asks.
    (404, openai("The model `m` does not exist"), None),
    (422, {"detail": [{"msg": "wrong", "input": "this does not support tools"}]}, None),
    (500, "Internal Server Error", None),
    (400, "", None),
    (403, openai("m does not support tools"), None),
    (429, openai("too many tool calls"), None),
    (503, openai("m does not support tools"), None),
    (200, openai("m does not support tools"), None),
    # An error in a stream may say its status.
    (None, openai("m does not support tools"), NO_TOOLS),
    (None, openai("too many tool calls", code=429), None),
    (None, openai("too many tool calls", code="429"), None),
    (None, openai("Failed to call a function.", code="tool_use_failed", status_code=400), REQUEST),
    # Text that is no JSON, or JSON that is no object.
    (400, "m does not support tools", NO_TOOLS),
    (400, ["m does not support tools"], NO_TOOLS),
    (400, "[" * 100_000, None),
]


@pytest.mark.parametrize("status, answer, refusal", ANSWERS)
def test_what_an_answer_says_of_tools(status, answer, refusal):
    body = answer if isinstance(answer, str) else json.dumps(answer)
    assert tool_refusal(status, body) is refusal


def test_what_the_model_wrote_is_found_in_the_error():
    written = 'web_search{"query": "x"}</function>'
    told = openai("Failed to call a function.", code="tool_use_failed", failed_generation=written)
    assert failed_generation(json.dumps(told)) == written
    for nothing in ("", "[]", "null", '{"error": "no"}', '{"error": {"failed_generation": 3}}'):
        assert failed_generation(nothing) == ""
