"""A tool that is a command of this machine.

::

    {"name": "count_words", "description": "…", "parameters": {…},
     "command": ["wc", "-w", "--", "{path}"], "risk": "read", "timeout": 10}

Each ``{argument}`` becomes that argument's text, always as (part of) one word: there is no shell.
All arguments also come as JSON on standard input. What the command prints is the result; another
exit code than 0 is a failure that the model is told. Our own keys are not passed on to it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

from ..protocol.errors import ToolFailed, UsageError
from ..protocol.tools.define import Tool

__all__ = ["command_tool"]

_PLACE = re.compile(r"\{(\w+)\}")
_TERMS = ("risk", "needs_approval", "timeout", "idempotent")
_SECONDS = 60.0
_LONGEST_OUTPUT = 200_000


def command_tool(definition: Mapping[str, Any]) -> Tool:
    """The tool of *definition*; without a command, one whose calls nobody here can run.

    A command may do anything, so its risk is ``exec`` unless the definition says otherwise.
    """
    terms = {key: definition[key] for key in _TERMS if key in definition}
    command = definition.get("command")
    if command is None:
        return Tool.from_openai(definition, **terms)
    tool = Tool.from_openai(definition)
    words = _words(tool.name, command, tool.spec.properties)
    terms = {"risk": "exec", "timeout": _SECONDS, **terms}
    return Tool(tool.spec, _runner(words, terms["timeout"]), **terms)


def _words(name: str, command: Any, arguments: Mapping[str, Any]) -> list[str]:
    if not isinstance(command, list) or not command or not all(isinstance(w, str) for w in command):
        raise UsageError(f"the command of {name!r} must be a list of words, got {command!r:.80}")
    for place in (place for word in command for place in _PLACE.findall(word)):
        if place not in arguments:
            raise UsageError(f"the command of {name!r} names {{{place}}}, which is not an argument")
    if _PLACE.search(command[0]):
        raise UsageError(f"the command of {name!r} lets the model choose the program")
    return command


def _runner(words: list[str], seconds: float | None) -> Callable[..., str]:
    def run(**arguments: Any) -> str:
        filled = [_PLACE.sub(lambda place: _text(arguments.get(place[1], "")), w) for w in words]
        try:
            done = subprocess.run(
                filled,
                input=json.dumps(arguments).encode(),
                capture_output=True,
                env=_environment(),
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            raise ToolFailed(f"it took longer than {seconds:g} seconds") from None
        except (OSError, ValueError) as error:  # not there, or an argument holds a NUL
            raise ToolFailed(f"it cannot be run: {error}") from None
        if done.returncode:
            raise ToolFailed(f"exit code {done.returncode}: {_output(done.stderr or done.stdout)}")
        return _output(done.stdout)

    return run


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _output(printed: bytes) -> str:
    return printed[:_LONGEST_OUTPUT].decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("TOOLPROTO_")}
