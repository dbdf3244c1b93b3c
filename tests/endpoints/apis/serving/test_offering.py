"""Tools that are odd, or no functions at all, are offered all the same."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from toolproto.endpoints.apis.asked import Asked, BadRequest
from toolproto.endpoints.apis.pieces import Ended, Piece
from toolproto.endpoints.apis.serving.api import collected
from toolproto.protocol.events import ArgumentsDelta, CallCompleted, CallStarted
from toolproto.protocol.messages import ToolCall, Usage

from ..samples import APIS, STAMP, streamed

FUNCTION = {"name": "now", "description": "The time.", "parameters": {"type": "object"}}


def calling(name: str, arguments: Any, *cuts: int) -> list[Piece]:
    """A call of what is offered as *name*, in pieces."""
    text = json.dumps(arguments)
    places = [0, *cuts, len(text)]
    pieces = [text[a:b] for a, b in pairwise(places)]
    return [
        CallStarted(0, name, "call_a"),
        *(ArgumentsDelta(0, each) for each in pieces),
        CallCompleted(0, ToolCall("now", {})),
        Ended("tool_calls", Usage(1, 2)),
    ]


def whole(api: str, asked: Asked, pieces: list[Piece]) -> dict[str, Any]:
    answer = collected(pieces)
    return APIS[api].whole(asked, [answer], STAMP)  # type: ignore[list-item]


def events(api: str, asked: Asked, pieces: list[Piece]) -> list[dict[str, Any]]:
    frames = "".join(streamed(APIS[api], asked, pieces)).split("\n\n")
    lines = [frame.split("data: ")[-1] for frame in frames if frame]
    return [json.loads(line) for line in lines if line != "[DONE]"]


# -- odd names and schemas ----------------------------------------------------------------


def chat(tools: list[Any], **more: Any) -> Asked:
    body = {"model": "m", "messages": [{"role": "user", "content": "?"}], "tools": tools, **more}
    return APIS["openai_chat"].read(body)


def function(**fields: Any) -> dict[str, Any]:
    return {"type": "function", "function": {**FUNCTION, **fields}}


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("auto", "auto_tool"),
        ("none", "none_tool"),
        ("required", "required_tool"),
        ("get weather", "get_weather"),
        ("1st", "_1st"),
        ("wetter für", "wetter_f_r"),
        ("x" * 200, "x" * 128),
    ],
)
def test_a_name_that_cannot_be_offered_is_another_to_the_model_only(name: str, offered: str):
    call = {"id": "a", "type": "function", "function": {"name": name, "arguments": "{}"}}
    asked = chat(
        [function(name=name)],
        messages=[{"role": "assistant", "tool_calls": [call]}],
        tool_choice={"type": "function", "function": {"name": name}},
    )
    assert asked.offer.names == {offered} and asked.offer.choice == offered
    assert asked.messages[0].calls == (ToolCall(offered, {}),)
    (said,) = whole("openai_chat", asked, calling(offered, {}))["choices"]
    assert said["message"]["tool_calls"][0]["function"] == {"name": name, "arguments": "{}"}
    begun = events("openai_chat", asked, calling(offered, {}))[1]
    assert begun["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] == name


def test_two_names_that_become_one_are_told_apart():
    asked = chat([function(name="a b"), function(name="a_b"), function(name="a-b")])
    assert [tool.name for tool in asked.offer.tools] == ["a_b", "a_b_2", "a-b"]
    assert [asked.tool(tool.name).name for tool in asked.offer.tools] == ["a b", "a_b", "a-b"]


def test_of_two_tools_of_one_name_the_last_is_offered():
    asked = chat([function(description="old"), function(description="new")])
    assert [tool.description for tool in asked.offer.tools] == ["new"]
    assert asked.notes == ("two tools are named 'now': the last is offered",)


def test_an_odd_schema_is_tamed_and_the_others_are_as_they_were():
    odd = {"type": "object", "properties": {"a": {"type": "any", "$ref": "http://x/y"}}}
    asked = chat([function(), function(name="odd", parameters=odd)])
    assert asked.offer.names == {"now", "odd"}
    assert asked.notes == ("odd: odd type at properties/a", "odd: open $ref at properties/a")


def test_any_means_required():
    assert chat([function()], tool_choice="any").offer.choice == "required"


# -- OpenAI -------------------------------------------------------------------------------

GRAMMAR = {"type": "grammar", "syntax": "lark", "definition": "start: /a+/"}
CUSTOM = {"type": "custom", "name": "patch", "description": "Change files.", "format": GRAMMAR}


def responses(tools: list[Any], input: Any = "?", **more: Any) -> Asked:
    return APIS["openai_responses"].read({"model": "m", "input": input, "tools": tools, **more})


def test_a_custom_tool_is_a_function_of_one_text():
    asked = responses([CUSTOM], tool_choice={"type": "custom", "name": "patch"})
    (tool,) = asked.offer.tools
    assert tool.required == ("input",) and asked.offer.choice == "patch"
    assert "Change files." in tool.description and "start: /a+/" in tool.description
    text = 'a "b"\n\\ é \U0001f600'
    pieces = calling("patch", {"input": text}, 3, 13, 20, 25, 33)
    (item,) = whole("openai_responses", asked, pieces)["output"]
    assert item == {
        "id": "ctc_abc0000",
        "type": "custom_tool_call",
        "status": "completed",
        "call_id": "call_a",
        "name": "patch",
        "input": text,
    }
    told = events("openai_responses", asked, pieces)
    kinds = [each["type"].removeprefix("response.") for each in told]
    deltas = [each["delta"] for each in told if each["type"].endswith("input.delta")]
    assert "".join(deltas) == text and len(deltas) > 1
    assert [kind for kind in kinds if not kind.endswith("delta")] == [
        *("created", "in_progress", "output_item.added", "custom_tool_call_input.done"),
        *("output_item.done", "completed"),
    ]
    assert told[-1]["response"]["output"] == [item]
    assert told[-3]["input"] == text


def test_a_custom_tool_of_chats_is_answered_in_their_form():
    tool = {"type": "custom", "custom": {"name": "patch", "format": {"type": "text"}}}
    call = {"id": "x", "type": "custom", "custom": {"name": "patch", "input": "old"}}
    history = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "x", "content": "done"},
    ]
    asked = chat([tool], messages=history)
    assert asked.messages[0].calls == (ToolCall("patch", {"input": "old"}),)
    pieces = calling("patch", {"input": "a\nb"}, 12)
    (choice,) = whole("openai_chat", asked, pieces)["choices"]
    assert choice["message"]["tool_calls"] == [
        {"id": "call_a", "type": "custom", "custom": {"name": "patch", "input": "a\nb"}}
    ]
    deltas = [each["choices"][0]["delta"] for each in events("openai_chat", asked, pieces)]
    calls = [each["tool_calls"][0] for each in deltas if "tool_calls" in each]
    assert calls[0]["type"] == "custom" and calls[0]["id"] == "call_a"
    assert "".join(call["custom"]["input"] for call in calls) == "a\nb"


@pytest.mark.parametrize("arguments", [{"text": "a"}, {"input": "a"}])
def test_the_input_of_a_custom_tool_is_found_under_any_name(arguments: dict[str, str]):
    told = events("openai_responses", responses([CUSTOM]), calling("patch", arguments))
    assert [each["delta"] for each in told if each["type"].endswith(".delta")] == ["a"]


def test_the_members_of_a_namespace_are_offered_and_go_back_to_it():
    members = [{"type": "function", **FUNCTION, "strict": True}, {**CUSTOM, "name": "raw"}]
    space = {"type": "namespace", "name": "clock", "description": "Of time.", "tools": members}
    call = {"type": "function_call", "call_id": "x", "name": "now", "namespace": "clock",
            "arguments": "{}"}  # fmt: skip
    asked = responses([space, {"type": "function", **FUNCTION}], [call])
    assert [tool.name for tool in asked.offer.tools] == ["clock__now", "clock__raw", "now"]
    assert asked.strict == {"clock__now"}
    assert "Of time." in asked.offer.tools[0].description
    assert asked.messages[0].calls == (ToolCall("clock__now", {}),)
    (item,) = whole("openai_responses", asked, calling("clock__now", {}))["output"]
    assert (item["type"], item["name"], item["namespace"]) == ("function_call", "now", "clock")
    (item,) = whole("openai_responses", asked, calling("clock__raw", {"input": "a"}))["output"]
    assert (item["type"], item["name"], item["namespace"]) == ("custom_tool_call", "raw", "clock")
    (item,) = whole("openai_responses", asked, calling("now", {}))["output"]
    assert "namespace" not in item


#: By the type of the tool: arguments of a call, and what is particular of its item.
KNOWN: dict[str, tuple[Any, Any]] = {
    "local_shell": (
        {"command": ["ls", "-l"], "working_directory": "/tmp"},
        {
            "type": "local_shell_call",
            "action": {
                "type": "exec",
                "command": ["ls", "-l"],
                "env": {},
                "working_directory": "/tmp",
            },
        },
    ),
    "shell": (
        {"commands": ["ls"], "timeout_ms": 5},
        {
            "type": "shell_call",
            "action": {"commands": ["ls"], "timeout_ms": 5, "max_output_length": None},
        },
    ),
    "apply_patch": (
        {"type": "update_file", "path": "a", "diff": "+b"},
        {
            "type": "apply_patch_call",
            "operation": {"type": "update_file", "path": "a", "diff": "+b"},
        },
    ),
    "computer_use_preview": (
        {"type": "click", "x": 1, "y": 2, "button": "left"},
        {
            "type": "computer_call",
            "action": {"type": "click", "x": 1, "y": 2, "button": "left"},
            "pending_safety_checks": [],
        },
    ),
    "tool_search": (
        {"query": "time"},
        {"type": "tool_search_call", "execution": "client", "arguments": {"query": "time"}},
    ),
}


@pytest.mark.parametrize("kind", KNOWN)
def test_a_tool_of_a_known_kind_is_answered_in_an_item_of_its_own(kind: str):
    arguments, fields = KNOWN[kind]
    asked = responses([{"type": kind, "execution": "client"}])
    name = kind.replace("_use_preview", "")
    assert asked.offer.names == {name}
    (item,) = whole("openai_responses", asked, calling(name, arguments, 4))["output"]
    common = {"id": item["id"], "call_id": "call_a", "status": "completed"}
    assert item == {**common, **fields}
    told = events("openai_responses", asked, calling(name, arguments, 4))
    kinds = [each["type"].removeprefix("response.") for each in told]
    assert kinds[2:] == ["output_item.added", "output_item.done", "completed"]
    assert told[3]["item"] == item and told[2]["item"]["status"] == "in_progress"
    again = responses([{"type": kind, "execution": "client"}], [item])
    assert again.messages[0].calls[0].name == name
    if kind != "local_shell":
        kept = {key: value for key, value in arguments.items() if value}
        assert again.messages[0].calls[0].arguments == kept


def test_a_call_of_a_known_kind_that_is_cut_does_not_go_out():
    cut: list[Piece] = [*calling("shell", {"commands": ["ls"]})[:2], Ended("length", Usage())]
    told = events("openai_responses", responses([{"type": "shell"}]), cut)
    assert [each["type"] for each in told][2:] == ["response.incomplete"]


SERVED = ("web_search", "web_search_preview", "file_search", "code_interpreter", "mcp",
          "image_generation", "tool_search", "programmatic_tool_calling", "novelty")  # fmt: skip


@pytest.mark.parametrize("kind", SERVED)
def test_a_tool_that_runs_on_a_server_is_left_out(kind: str):
    asked = responses([{"type": kind}, {"type": "function", **FUNCTION}])
    assert asked.offer.names == {"now"}
    assert asked.notes == (f"left out {kind}: it runs on its maker's servers",)
    alone = responses([{"type": kind}], tool_choice="required")
    assert alone.offer.tools == () and alone.offer.choice == "auto"
    assert responses([{"type": kind}], tool_choice={"type": kind}).offer.choice == "auto"


def test_a_shell_in_a_container_runs_on_a_server():
    asked = responses([{"type": "shell", "environment": {"type": "container_auto"}}])
    assert asked.offer.tools == ()


def test_tools_that_a_search_found_are_offered():
    found = {"type": "tool_search_output", "call_id": "x", "execution": "client",
             "tools": [{"type": "function", **FUNCTION, "defer_loading": True}]}  # fmt: skip
    search = {"type": "tool_search_call", "call_id": "x", "arguments": {"query": "time"}}
    asked = responses([{"type": "tool_search", "execution": "client"}], [search, found])
    assert asked.offer.names == {"tool_search", "now"}
    assert asked.messages[1].results[0].content == "You may call these tools now: now"


ITEMS: dict[str, tuple[list[Any], list[Any]]] = {
    "a custom call": (
        [{"type": "custom_tool_call", "call_id": "a", "name": "patch", "input": "x"},
         {"type": "custom_tool_call_output", "call_id": "a", "output": "done"}],
        [("patch", {"input": "x"}), "done"],
    ),
    "a local shell, answered by the id of the item": (
        [{"type": "local_shell_call", "id": "lsh_1", "call_id": "a", "status": "completed",
          "action": {"type": "exec", "command": ["ls"], "env": {}}},
         {"type": "local_shell_call_output", "id": "lsh_1", "output": "a.txt"}],
        [("local_shell", {"command": ["ls"]}), "a.txt"],
    ),
    "a shell": (
        [{"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}},
         {"type": "shell_call_output", "call_id": "a", "output": [
             {"stdout": "x", "stderr": "no", "outcome": {"type": "exit", "exit_code": 1}},
             {"stdout": "", "stderr": "", "outcome": {"type": "timeout"}}]}],
        [("shell", {"commands": ["ls"]}), "x\nno\n[exit code 1]\n[timed out]"],
    ),
    "a patch": (
        [{"type": "apply_patch_call", "call_id": "a", "status": "completed",
          "operation": {"type": "delete_file", "path": "b"}},
         {"type": "apply_patch_call_output", "call_id": "a", "status": "completed"}],
        [("apply_patch", {"type": "delete_file", "path": "b"}), "completed"],
    ),
    "a screen": (
        [{"type": "computer_call", "call_id": "a", "action": {"type": "screenshot"}},
         {"type": "computer_call_output", "call_id": "a", "output": {
             "type": "computer_screenshot", "image_url": "https://a.b/c.png"}}],
        [("computer", {"type": "screenshot"}),
         "[image: https://a.b/c.png, not shown to this model]"],
    ),
    "a server of MCP": (
        [{"type": "mcp_list_tools", "id": "l", "server_label": "docs", "tools": []},
         {"type": "mcp_call", "id": "c", "server_label": "docs", "name": "find",
          "arguments": '{"q": 1}', "output": "it"}],
        [("docs__find", {"q": 1}), "it"],
    ),
    "code that ran": (
        [{"type": "code_interpreter_call", "id": "c", "code": "1+1", "container_id": "x",
          "status": "completed", "outputs": [{"type": "logs", "logs": "2"}]}],
        [("code_interpreter", {"code": "1+1"}), "2"],
    ),
    "files that were found": (
        [{"type": "file_search_call", "id": "c", "queries": ["q"], "status": "completed",
          "results": [{"filename": "a", "text": "b"}]}],
        [("file_search", {"queries": ["q"]}), "[a]\nb"],
    ),
    "what says nothing": (
        [{"type": "reasoning", "id": "r", "summary": []},
         {"type": "web_search_call", "id": "w", "status": "completed",
          "action": {"type": "search", "query": "q"}},
         {"type": "image_generation_call", "id": "i", "status": "completed", "result": "x"},
         {"type": "mcp_approval_request", "id": "p", "server_label": "d", "name": "n",
          "arguments": "{}"},
         {"type": "mcp_approval_response", "approval_request_id": "p", "approve": True}],
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("items", "expected"), ITEMS.values(), ids=ITEMS)
def test_the_items_of_every_kind_are_read(items: list[Any], expected: list[Any]):
    asked = responses([], [*items, {"role": "user", "content": "And?"}])
    *before, last = asked.messages
    assert last.content == "And?"
    told = [(c.name, c.arguments) for message in before for c in message.calls]
    results = [each.content for message in before for each in message.results]
    assert [*told, *results] == expected


def test_what_was_compacted_elsewhere_is_told_to_be_missing():
    asked = responses([], [{"type": "compaction", "encrypted_content": "x"},
                           {"role": "user", "content": "And?"}])  # fmt: skip
    assert "cannot be read here" in asked.messages[0].content


def test_metadata_may_hold_anything_and_is_repeated_as_text():
    asked = responses([], metadata={"a": 1, "b": ["c"], "d": "e"})
    response = whole("openai_responses", asked, [Ended("stop", Usage())])
    assert response["metadata"] == {"a": "1", "b": '["c"]', "d": "e"}


def test_a_response_repeats_tools_and_choice_as_they_were_given():
    tools = [{"type": "web_search"}, {"type": "function", "name": "now", "parameters": {}}]
    asked = responses(tools, tool_choice={"type": "function", "name": "now"})
    response = whole("openai_responses", asked, [Ended("stop", Usage())])
    assert response["tool_choice"] == {"type": "function", "name": "now"}
    filled = {"description": None, "strict": False}
    assert response["tools"] == [tools[0], {**tools[1], **filled}]


# -- Anthropic ----------------------------------------------------------------------------


def messages(tools: list[Any], *turns: Any, **more: Any) -> Asked:
    said = list(turns) or [{"role": "user", "content": "?"}]
    body = {"model": "m", "max_tokens": 9, "messages": said, "tools": tools, **more}
    return APIS["anthropic"].read(body)


@pytest.mark.parametrize(
    ("kind", "name", "arguments"),
    [
        ("bash_20241022", "bash", {"command", "restart"}),
        ("bash_20250124", "bash", {"command", "restart"}),
        ("text_editor_20241022", "str_replace_editor",
         {"command", "path", "file_text", "old_str", "new_str", "insert_line", "view_range"}),
        ("text_editor_20250728", "str_replace_based_edit_tool",
         {"command", "path", "file_text", "old_str", "new_str", "insert_line", "insert_text",
          "view_range"}),
        ("memory_20250818", "memory",
         {"command", "path", "file_text", "old_str", "new_str", "insert_line", "insert_text",
          "view_range", "old_path", "new_path"}),
        ("computer_20251124", "computer",
         {"action", "coordinate", "start_coordinate", "region", "text", "scroll_direction",
          "scroll_amount", "duration"}),
    ],
)  # fmt: skip
def test_a_tool_that_runs_at_the_client_is_offered(kind: str, name: str, arguments: set[str]):
    asked = messages([{"type": kind, "name": name}], tool_choice={"type": "tool", "name": name})
    (tool,) = asked.offer.tools
    assert (tool.name, set(tool.properties), asked.offer.choice) == (name, arguments, name)
    (block,) = whole("anthropic", asked, calling(name, {"command": "ls"}))["content"]
    assert (block["type"], block["name"], block["input"]) == ("tool_use", name, {"command": "ls"})


@pytest.mark.parametrize(
    "kind",
    ["web_search_20250305", "web_fetch_20250910", "code_execution_20250825", "mcp_toolset",
     "tool_search_tool_bm25_20251119", "browser_toolset_20260801"],
)  # fmt: skip
def test_a_tool_that_runs_at_anthropic_is_left_out(kind: str):
    asked = messages([{"type": kind, "name": "x"}, {"name": "now", "input_schema": {}}])
    assert asked.offer.names == {"now"}
    assert asked.notes == (f"left out {kind}: it runs on its maker's servers",)


def test_a_tool_that_was_left_out_cannot_be_demanded():
    tool = {"type": "web_search_20250305", "name": "web_search"}
    asked = messages([tool], tool_choice={"type": "tool", "name": "web_search"})
    assert asked.offer.choice == "auto" and asked.offer.tools == ()


def test_servers_that_a_client_names_are_left_out():
    asked = messages([], mcp_servers=[{"type": "url", "url": "https://a.b", "name": "a"}])
    assert asked.notes == ("left out mcp_servers: it runs on its maker's servers",)


def test_what_a_server_found_is_a_call_and_its_result():
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
    found = {"type": "web_search_result", "title": "A", "url": "https://a.b",
             "encrypted_content": "x"}  # fmt: skip
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [found]}
    mine = {"type": "tool_use", "id": "t", "name": "now", "input": {}}
    turn = {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me see."},
            use,
            result,
            {"type": "text", "text": "Found."},
            mine,
        ],
    }
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}
    first, came, second, last = messages([], turn, answer).messages
    assert (first.content, first.calls[0].name) == ("Let me see.", "web_search")
    assert came.results[0].content == "[A](https://a.b)"
    assert (second.content, second.calls[0].name) == ("Found.", "now")
    assert len(last.results) == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"type": "code_execution_result", "stdout": "2", "stderr": "", "return_code": 0}, "2"),
        ({"type": "bash_code_execution_result", "stdout": "2", "stderr": "no"}, "2\nno"),
        ({"type": "web_fetch_result", "url": "u", "content": {"type": "document", "source": {
            "type": "text", "data": "page"}}}, "u\npage"),
        ({"type": "web_search_tool_result_error", "error_code": "unavailable"},
         '{"type": "web_search_tool_result_error", "error_code": "unavailable"}'),
        ([{"type": "text", "text": "from a server"}], "from a server"),
    ],
)  # fmt: skip
def test_the_results_of_servers_are_read(content: Any, text: str):
    use = {"type": "server_tool_use", "id": "s", "name": "x", "input": {}}
    result = {"type": "x_tool_result", "tool_use_id": "s", "content": content}
    asked = messages([], {"role": "assistant", "content": [use, result]})
    assert asked.messages[1].results[0].content == text


def test_blocks_that_say_nothing_are_passed_over_and_a_summary_is_read():
    turn = {
        "role": "assistant",
        "content": [
            {"type": "compaction", "content": "We spoke of Oslo."},
            {"type": "container_upload", "file_id": "f"},
            {"type": "text", "text": "Yes."},
        ],
    }
    assert messages([], turn).messages[0].content == "We spoke of Oslo.\nYes."


def test_a_message_begins_with_a_guess_at_its_input():
    long = messages([], {"role": "user", "content": "word " * 1000})
    message = events("anthropic", long, [Ended("stop", Usage(9, 1))])[0]["message"]
    assert 900 <= message["usage"]["input_tokens"] <= 1500


def test_a_tool_without_a_name_is_refused():
    with pytest.raises(BadRequest, match="name"):
        messages([{"type": "bash_20250124"}])
