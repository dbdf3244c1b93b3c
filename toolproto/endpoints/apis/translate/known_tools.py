"""Tools that clients name by a type alone, since the makers' models know them: their schemas.

They run where the client is. The schemas follow what the makers publish of their inputs; what runs
on the makers' own servers has none here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["KnownTool", "anthropic_tool", "openai_tool"]


class KnownTool(NamedTuple):
    """What the model is told of a tool."""

    description: str
    parameters: Mapping[str, Any]


def _object(required: Sequence[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _text(about: str, *choices: str) -> dict[str, Any]:
    chosen = {"enum": list(choices)} if choices else {}
    return {"type": "string", "description": about, **chosen}


def _number(about: str) -> dict[str, Any]:
    return {"type": "integer", "description": about}


def _texts(about: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": about}


def _place(about: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "integer"}, "description": about}


_TIMEOUT = _number("Milliseconds after which the command is stopped.")

# -- OpenAI -------------------------------------------------------------------------------

_LOCAL_SHELL = KnownTool(
    "Run a command on the user's machine.",
    _object(
        ["command"],
        command=_texts("The program and its arguments, each for itself."),
        working_directory=_text("The folder to run it in."),
        timeout_ms=_TIMEOUT,
        env={"type": "object", "additionalProperties": {"type": "string"}},
    ),
)
_SHELL = KnownTool(
    "Run shell commands on the user's machine, one after the other.",
    _object(
        ["commands"],
        commands=_texts("The command lines."),
        timeout_ms=_TIMEOUT,
        max_output_length=_number("How many characters of the output are wanted at most."),
    ),
)
_APPLY_PATCH = KnownTool(
    "Create, change or delete one file.",
    _object(
        ["type", "path"],
        type=_text("What to do.", "create_file", "update_file", "delete_file"),
        path=_text("The file, from the root of the project."),
        diff=_text("The change as a unified diff; for create_file, the whole file with + lines."),
    ),
)
_COMPUTER = KnownTool(
    "Use the mouse, the keyboard and the screen. Every action is answered with a screenshot.",
    _object(
        ["type"],
        type=_text(
            "The action.",
            *("click", "double_click", "drag", "keypress", "move", "screenshot", "scroll"),
            *("type", "wait"),
        ),
        x=_number("Where, from the left."),
        y=_number("Where, from the top."),
        button=_text("For click.", "left", "right", "wheel", "back", "forward"),
        keys=_texts("For keypress: the keys."),
        text=_text("For type: what to type."),
        scroll_x=_number("For scroll: how far to the right."),
        scroll_y=_number("For scroll: how far down."),
        path={
            "type": "array",
            "items": _object(["x", "y"], x={"type": "integer"}, y={"type": "integer"}),
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


# -- Anthropic ----------------------------------------------------------------------------

_BASH = KnownTool(
    "Run a command in a bash session that stays open between calls.",
    _object(
        ["command"],
        command=_text("The command line."),
        restart={"type": "boolean", "description": "True to begin with a new session instead."},
    ),
)
_VIEW_RANGE = _place("For view: the first and the last line, counted from 1; -1 is the end.")
_EDITING: dict[str, Any] = {
    "path": _text("The file or folder."),
    "file_text": _text("For create: the whole file."),
    "old_str": _text("For str_replace: the text to replace, exactly as it stands there, once."),
    "insert_line": _number("For insert: the line after which to insert; 0 is the beginning."),
    "view_range": _VIEW_RANGE,
}
_NEW_STR = _text("For str_replace: what comes in its place.")
_INSERT_TEXT = _text("For insert: the text.")


def _editor(version: str) -> KnownTool:
    # The text of an insertion got a name of its own, and undoing was given up.
    old = version < "20250429"
    commands = ["view", "create", "str_replace", "insert", *(["undo_edit"] if old else [])]
    both = _text("For str_replace: what comes in its place; for insert: the text.")
    more = {"new_str": both} if old else {"new_str": _NEW_STR, "insert_text": _INSERT_TEXT}
    command = _text("What to do.", *commands)
    return KnownTool(
        "Look at files and folders, create files, and change them.",
        _object(["command", "path"], command=command, **_EDITING, **more),
    )


_MEMORY = KnownTool(
    "Keep notes in files under /memories, which last beyond this conversation. Look there first.",
    _object(
        ["command"],
        command=_text("What to do.", "view", "create", "str_replace", "insert", "delete", "rename"),
        **_EDITING,
        new_str=_NEW_STR,
        insert_text=_INSERT_TEXT,
        old_path=_text("For rename: what it is called now."),
        new_path=_text("For rename: what it is to be called."),
    ),
)
_COMPUTER_USE = KnownTool(
    "Use the mouse, the keyboard and the screen.",
    _object(
        ["action"],
        action=_text(
            "What to do.",
            *("key", "type", "mouse_move", "left_click", "left_click_drag", "right_click"),
            *("middle_click", "double_click", "triple_click", "left_mouse_down", "left_mouse_up"),
            *("scroll", "hold_key", "wait", "screenshot", "cursor_position", "zoom"),
        ),
        coordinate=_place("Where: from the left, from the top."),
        start_coordinate=_place("For left_click_drag: where it begins."),
        region=_place("For zoom: left, top, right, bottom."),
        text=_text("For type and key: what to type, or the keys; for clicks: keys held down."),
        scroll_direction=_text("For scroll.", "up", "down", "left", "right"),
        scroll_amount=_number("For scroll: how many steps."),
        duration={"type": "number", "description": "For wait and hold_key: seconds."},
    ),
)


def anthropic_tool(kind: str) -> KnownTool | None:
    """The tool of that type, which ends with its version, if it runs where the client is."""
    name, _, version = kind.rpartition("_")
    match name:
        case "bash":
            return _BASH
        case "text_editor":
            return _editor(version)
        case "memory":
            return _MEMORY
        case "computer":
            return _COMPUTER_USE
    return None
