"""The tools that OpenAI's models know by a type, and that run where the client is."""

from __future__ import annotations

from ..serving.known_tool import KnownTool, number, object_of, text, texts

__all__ = ["openai_tool"]

_TIMEOUT = number("Milliseconds after which the command is stopped.")

_LOCAL_SHELL = KnownTool(
    "Run a command on the user's machine.",
    object_of(
        ["command"],
        command=texts("The program and its arguments, each for itself."),
        working_directory=text("The folder to run it in."),
        timeout_ms=_TIMEOUT,
        env={"type": "object", "additionalProperties": {"type": "string"}},
    ),
)
_SHELL = KnownTool(
    "Run shell commands on the user's machine, one after the other.",
    object_of(
        ["commands"],
        commands=texts("The command lines."),
        timeout_ms=_TIMEOUT,
        max_output_length=number("How many characters of the output are wanted at most."),
    ),
)
_APPLY_PATCH = KnownTool(
    "Create, change or delete one file.",
    object_of(
        ["type", "path"],
        type=text("What to do.", "create_file", "update_file", "delete_file"),
        path=text("The file, from the root of the project."),
        diff=text("The change as a unified diff; for create_file, the whole file with + lines."),
    ),
)
_COMPUTER = KnownTool(
    "Use the mouse, the keyboard and the screen. Every action is answered with a screenshot.",
    object_of(
        ["type"],
        type=text(
            "The action.",
            *("click", "double_click", "drag", "keypress", "move", "screenshot", "scroll"),
            *("type", "wait"),
        ),
        x=number("Where, from the left."),
        y=number("Where, from the top."),
        button=text("For click.", "left", "right", "wheel", "back", "forward"),
        keys=texts("For keypress: the keys."),
        text=text("For type: what to type."),
        scroll_x=number("For scroll: how far to the right."),
        scroll_y=number("For scroll: how far down."),
        path={
            "type": "array",
            "items": object_of(["x", "y"], x={"type": "integer"}, y={"type": "integer"}),
            "description": "For drag: the points on the way.",
        },
    ),
)
_OPENAI = {
    "local_shell": _LOCAL_SHELL,
    "shell": _SHELL,
    "apply_patch": _APPLY_PATCH,
    "computer": _COMPUTER,
    "computer_use": _COMPUTER,
    "computer_use_preview": _COMPUTER,
}


def openai_tool(kind: str) -> KnownTool | None:
    """The tool of that type, if it runs where the client is."""
    return _OPENAI.get(kind)
