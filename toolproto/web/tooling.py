"""The tools of a session in groups that a person switches, and ``browser_js_eval``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..conversation.journal.log import LoggedTurn
from ..conversation.toolsets import StoredFiles, file_tools
from ..conversation.workspaces import Workspace
from ..protocol.messages import Message, ToolCall, ToolResult
from ..protocol.tools.define import Tool
from ..protocol.tools.registry import ToolRegistry
from ..protocol.tools.sources import ToolSource

__all__ = [
    "BROWSER",
    "ToolGroup",
    "brought",
    "browser_tool",
    "groups_json",
    "only_own_words",
    "registry",
    "worked_exchanges",
]

#: The tool whose calls are answered by the page itself.
BROWSER = "browser_js_eval"
_FILES, _PAGE = "files", "browser"


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """Tools that came together: a module of ``--tools``, say."""

    name: str
    tools: tuple[Tool, ...] = field(repr=False)


def browser_tool() -> Tool:
    """``browser_js_eval``: it has no function here, the page runs the code and brings the result.

    What a program of the model's says may be anybody's words; see :func:`only_own_words`.
    """
    return Tool.from_schema(
        BROWSER,
        "Run JavaScript in the browser of the user, apart from the page and without network or "
        "document. The value of the last expression, or what is returned, is the result, with the "
        "lines that console.log printed. await may be used.",
        {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "The code to run."}},
            "required": ["code"],
        },
        risk="exec",
    )


def only_own_words(
    turns: Iterable[LoggedTurn], messages: Iterable[Message], tools: ToolRegistry
) -> bool:
    """Whether no stranger has spoken: all results so far are of trusted tools, or of the sandbox.

    Nothing from outside gets into the sandbox. So as long as that holds, its results are nobody
    else's words, and asking about every later call because of them would teach people not to look.
    Once a stranger has spoken, code could say his words in disguise.
    """
    if any(turn.imported for turn in turns):
        return False
    results = (result for message in messages for result in message.results)
    return all(_is_own(result, tools.get(result.call.name)) for result in results)


def _is_own(result: ToolResult, tool: Tool | None) -> bool:
    if result.trusted is not None:
        return result.trusted
    return result.call.name == BROWSER or (tool is not None and tool.is_trusted)


def worked_exchanges(tools: ToolRegistry) -> list[Message]:
    """Questions with their calls, results and answers, for models too small to be told how.

    What stands last is copied most: code is what the page is there for.
    """
    found: list[Message] = []
    for question, call, result, answer in _WORKED:
        if call.name in tools and tools.is_enabled(call.name):
            found += [
                Message("user", question),
                Message("assistant", "", calls=(call,)),
                Message("user", "", results=(ToolResult(call, result),)),
                Message("assistant", answer),
            ]
    return found


_WORKED = (
    (
        "Write hello to a.txt",
        ToolCall("write_file", {"path": "a.txt", "content": "hello"}, "call_1"),
        "wrote new file a.txt, 5 bytes",
        "I wrote hello to a.txt.",
    ),
    (
        "Which files are there?",
        ToolCall("list_directory", {"path": "/"}, "call_2"),
        "a.txt (5 bytes)",
        "There is one file, a.txt.",
    ),
    (
        "What is 12 + 30?",
        ToolCall(BROWSER, {"code": "12 + 30"}, "call_3"),
        "42",
        "12 + 30 is 42.",
    ),
    (
        "What is 6 * 7?",
        ToolCall(BROWSER, {"code": "6 * 7"}, "call_4"),
        "42",
        "6 * 7 is 42.",
    ),
)


def registry(
    files: StoredFiles,
    groups: Sequence[ToolGroup],
    sources: Iterable[ToolSource],
    off: Iterable[str],
) -> tuple[ToolRegistry, dict[str, str]]:
    """The tools of a session, those of *off* not offered, and the group of each of them.

    Tools that were given win over the page's own of the same name.
    """
    given = {tool.name: (group.name, tool) for group in groups for tool in group.tools}
    own = [(_FILES, tool) for tool in file_tools(files)] + [(_PAGE, browser_tool())]
    found = {tool.name: (name, tool) for name, tool in own} | given
    tools = ToolRegistry([*(tool for _, tool in found.values()), *sources])
    tools.disable(*(name for name in off if name in tools))
    return tools, {name: group for name, (group, _) in found.items()}


def brought(workspace: Workspace) -> tuple[list[ToolGroup], list[ToolSource]]:
    """What tools *workspace* brings: a group of that name, and sources."""
    given = list(workspace.tools)
    sources = [each for each in given if isinstance(each, ToolSource)]
    own = tuple(ToolRegistry(each for each in given if each not in sources).values())
    return ([ToolGroup(workspace.name, own)] if own else []), sources


def groups_json(tools: ToolRegistry, group_of: Mapping[str, str]) -> list[dict[str, Any]]:
    """The groups with their tools, as the page shows them."""
    made: dict[str, list[dict[str, Any]]] = {}
    sources = {name: source.name for source in tools.sources for name in _names(source)}
    for name, tool in tools.items():
        group = group_of.get(name) or f"mcp: {sources.get(name, 'other')}"
        made.setdefault(group, []).append(
            {
                "name": name,
                "description": tool.spec.description,
                "parameters": dict(tool.spec.parameters),
                "risk": tool.risk,
                "on": tools.is_enabled(name),
                "where": "page" if name == BROWSER else "server" if tool.function else "person",
            }
        )
    return [{"name": name, "tools": listed} for name, listed in made.items()]


def _names(source: ToolSource) -> list[str]:
    # A name that is taken has the source's own before it.
    found = [tool.name for tool in source.tools()]
    return [*found, *(f"{source.name}__{name}" for name in found)]
