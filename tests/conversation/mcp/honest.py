"""A server made with the package's own low-level server, with one of everything.

``python honest.py legacy|modern`` speaks over standard input and output; :func:`server` is for
HTTP. *legacy*: it knows the handshake alone, and asks its client by requests of its own.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ToolsListChanged

NOTHING = {"type": "object", "properties": {}}
FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "whose\u202e it is"},
        "count": {"type": "integer", "default": 1},
    },
    "required": ["name"],
}
NAMES = ["everything", "structured", "ask", "visit", "steps", "roots", "sample", "grow", "wait"]


def server(era: str) -> Server[Any]:
    """The server; each has tools of its own that may grow."""
    names = list(NAMES)
    bus = InMemorySubscriptionBus()

    async def listed(ctx: Any, params: Any) -> types.ListToolsResult:
        tools = [types.Tool(name=name, description=name, input_schema=NOTHING) for name in names]
        return types.ListToolsResult(tools=tools)

    async def called(ctx: Any, params: types.CallToolRequestParams) -> Any:
        if params.name == "grow":
            names.append(f"grown_{len(names)}")
            if era == "modern":
                await bus.publish(ToolsListChanged())
            else:
                await ctx.session.send_tool_list_changed()
            return said("grown")
        return await CALLS[params.name](ctx, params)

    made: Server[Any] = Server(
        "honest",
        version="2",
        on_list_tools=listed,
        on_call_tool=called,
        on_subscriptions_listen=ListenHandler(bus) if era == "modern" else None,
    )
    if era == "legacy":
        made.add_request_handler("server/discover", types.RequestParams, unknown)
    return made


async def unknown(ctx: Any, params: Any) -> Any:
    raise MCPError(types.METHOD_NOT_FOUND, "Method not found")


def said(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)])


async def everything(ctx: Any, params: Any) -> types.CallToolResult:
    return types.CallToolResult(
        content=[
            types.TextContent(text="look:"),
            types.ImageContent(data="aW1hZ2U=", mime_type="image/png"),
            types.AudioContent(data="c291bmQ=", mime_type="audio/wav"),
            types.EmbeddedResource(
                resource=types.TextResourceContents(uri="file:///a.txt", text="words of a file")
            ),
            types.EmbeddedResource(
                resource=types.BlobResourceContents(
                    uri="file:///b.pdf", mime_type="application/pdf", blob="cGRm"
                )
            ),
            types.ResourceLink(name="manual", uri="https://example.com/manual", title="The manual"),
        ],
        structured_content={"seen": 6},
    )


async def structured(ctx: Any, params: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[], structured_content={"degrees": 21})


async def ask(ctx: Any, params: types.CallToolRequestParams) -> Any:
    question = types.ElicitRequestFormParams(
        message="who is it\x1b[31m for?", requested_schema=FORM
    )
    if ctx.protocol_version < "2026":
        answer = await ctx.session.elicit_form(
            question.message, question.requested_schema, ctx.request_id
        )
    elif not params.input_responses:
        return types.InputRequiredResult(
            input_requests={"q": types.ElicitRequest(params=question)}, request_state="s"
        )
    else:
        answer = params.input_responses["q"]
    return said(f"{answer.action} {answer.content}")


async def visit(ctx: Any, params: Any) -> types.CallToolResult:
    answer = await ctx.session.elicit_url(
        "log in", "https://example.com/login", "1", ctx.request_id
    )
    return said(f"{answer.action} {answer.content}")


async def steps(ctx: Any, params: Any) -> types.CallToolResult:
    for step in (1, 2, 3):
        await ctx.session.report_progress(step, 3, f"step {step}")
    return said("three steps")


async def roots(ctx: Any, params: Any) -> types.CallToolResult:
    try:
        found = await ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except MCPError as error:
        return said(f"refused: {error.message}")
    return said(" ".join(str(each.uri) for each in found.roots))


async def sample(ctx: Any, params: Any) -> types.CallToolResult:
    text = types.TextContent(text="hello")
    asked = types.CreateMessageRequestParams(
        messages=[types.SamplingMessage(role="user", content=text)], max_tokens=5
    )
    try:
        await ctx.session.send_request(
            types.CreateMessageRequest(params=asked), types.CreateMessageResult
        )
    except MCPError as error:
        return said(f"refused: {error.message}")
    return said("answered")


async def wait(ctx: Any, params: Any) -> types.CallToolResult:
    await asyncio.sleep(300)
    return said("too late")


CALLS = {
    each.__name__: each for each in (everything, structured, ask, visit, steps, roots, sample, wait)
}


async def main(era: str) -> None:
    """Serve until the input ends."""
    made = server(era)
    options = made.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server() as (reading, writing):
        if era == "modern":
            await made.run(reading, writing, options)
        else:
            await serve_loop(made, reading, writing, lifespan_state={}, init_options=options)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
