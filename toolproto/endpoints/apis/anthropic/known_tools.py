"""The tools that Anthropic's models know by a type, and that run where the client is."""

from __future__ import annotations

from typing import Any

from ..serving.known_tool import KnownTool, number, object_of, place, text

__all__ = ["anthropic_tool"]

_BASH = KnownTool(
    "Run a command in a bash session that stays open between calls.",
    object_of(
        ["command"],
        command=text("The command line."),
        restart={"type": "boolean", "description": "True to begin with a new session instead."},
    ),
)
_VIEW_RANGE = place("For view: the first and the last line, counted from 1; -1 is the end.")
_EDITING: dict[str, Any] = {
    "path": text("The file or folder."),
    "file_text": text("For create: the whole file."),
    "old_str": text("For str_replace: the text to replace, exactly as it stands there, once."),
    "insert_line": number("For insert: the line after which to insert; 0 is the beginning."),
    "view_range": _VIEW_RANGE,
}
_NEW_STR = text("For str_replace: what comes in its place.")
_INSERT_TEXT = text("For insert: the text.")


def _editor(version: str) -> KnownTool:
    # The text of an insertion got a name of its own, and undoing was given up.
    old = version < "20250429"
    commands = ["view", "create", "str_replace", "insert", *(["undo_edit"] if old else [])]
    both = text("For str_replace: what comes in its place; for insert: the text.")
    more = {"new_str": both} if old else {"new_str": _NEW_STR, "insert_text": _INSERT_TEXT}
    command = text("What to do.", *commands)
    return KnownTool(
        "Look at files and folders, create files, and change them.",
        object_of(["command", "path"], command=command, **_EDITING, **more),
    )


_MEMORY = KnownTool(
    "Keep notes in files under /memories, which last beyond this conversation. Look there first.",
    object_of(
        ["command"],
        command=text("What to do.", "view", "create", "str_replace", "insert", "delete", "rename"),
        **_EDITING,
        new_str=_NEW_STR,
        insert_text=_INSERT_TEXT,
        old_path=text("For rename: what it is called now."),
        new_path=text("For rename: what it is to be called."),
    ),
)
_COMPUTER_USE = KnownTool(
    "Use the mouse, the keyboard and the screen.",
    object_of(
        ["action"],
        action=text(
            "What to do.",
            *("key", "type", "mouse_move", "left_click", "left_click_drag", "right_click"),
            *("middle_click", "double_click", "triple_click", "left_mouse_down", "left_mouse_up"),
            *("scroll", "hold_key", "wait", "screenshot", "cursor_position", "zoom"),
        ),
        coordinate=place("Where: from the left, from the top."),
        start_coordinate=place("For left_click_drag: where it begins."),
        region=place("For zoom: left, top, right, bottom."),
        text=text("For type and key: what to type, or the keys; for clicks: keys held down."),
        scroll_direction=text("For scroll.", "up", "down", "left", "right"),
        scroll_amount=number("For scroll: how many steps."),
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
