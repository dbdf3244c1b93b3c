"""A whole conversation: file tools, an approver, events as they happen, on scripted replies.

Everything but the replies is real; put ``HttpEndpoint("http://localhost:8080/v1", model="…")`` in
the place of the script to talk to a model.
"""

from __future__ import annotations

from toolproto import (
    Allow,
    ApprovalRequest,
    ChatSession,
    Deny,
    TextDelta,
    ToolStatus,
    ToolUpdated,
    TurnEnded,
)
from toolproto.conversation import MemoryFiles, file_tools
from toolproto.endpoints import ScriptedEndpoint

READ = '{"name": "read_file", "arguments": {"path": "/notes.txt"}}'
WRITE = '{"name": "write_file", "arguments": {"path": "/notes.txt", "content": "milk\\nbread\\n"}}'
MEDDLE = '{"name": "write_file", "arguments": {"path": "/etc/passwd", "content": "me"}}'
SCRIPT = [
    f"I look first. <tool_code>{READ}</tool_code>",
    f"<tool_code>{WRITE}</tool_code>\n<tool_code>{MEDDLE}</tool_code>",
    "Bread is on the list. The other file I was not allowed to write.",
]


def approve(request: ApprovalRequest) -> Allow | Deny:
    """Stand in for a person: notes may be written, nothing else."""
    path = request.call.arguments["path"]
    return Allow() if path == "/notes.txt" else Deny(f"{path} is none of your business")


def main() -> None:
    """Play the conversation and show what happens."""
    files = MemoryFiles({"/notes.txt": "milk\n"})
    session = ChatSession(
        ScriptedEndpoint(*SCRIPT, chunk_size=12), "xml_tag", file_tools(files), approver=approve
    )
    print("  you: Put bread on my list.")
    with session.stream("Put bread on my list.") as events:
        for event in events:
            match event:
                case TextDelta(text=text):
                    print(text, end="", flush=True)
                case ToolUpdated(call=call, status=ToolStatus.RUNNING):
                    print(f"\n  → {call.name}({call.arguments['path']})", end="")
                case ToolUpdated(result=result) if result:
                    print(f"\n  ← {result.call.name}: {result.content!r}")
                case TurnEnded(result=turn):
                    stats = turn.stats
                    print(f"\n  {turn.status}: {stats.requests} requests, {stats.calls} calls")
    print(f"  /notes.txt is now {files.contents()['notes.txt']!r}")


if __name__ == "__main__":
    main()
