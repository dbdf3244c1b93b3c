"""The steps of ``toolproto tour``: each is a command that the person could type."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from ..package import install_command
from ..protocol.errors import UsageError

__all__ = ["STEPS", "TourStep", "run_step"]

_DRIFTED = """\
Let me look. <tool_code>{'name': 'get_weather', 'arguments': {'city': 'Oslo',}}</tool_code>
"""
_SHOWN = """\
You would write `<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_code>`.
"""
_APPROVAL = '''\
from toolproto import Allow, ChatSession, Deny
from toolproto.endpoints import ScriptedEndpoint
from toolproto.conversation.toolsets import demo_tools

# What a model might say: it wants to change a file, and then tells what came of it.
WRITE = (
    '<tool_code>{"name": "write_file", "arguments":'
    ' {"path": "notes/shopping.txt", "content": "milk, eggs, bread"}}</tool_code>'
)
model = ScriptedEndpoint(WRITE, "I am done.")


def ask(request):
    """Called for each call that does more than read."""
    print(f"{request.call.name} wants {dict(request.call.arguments)}")
    try:
        answer = input("run it? [y/n] ")
    except EOFError:  # nobody is there
        print("(nobody to ask: no)")
        answer = "n"
    return Allow() if answer.startswith("y") else Deny("the user said no")


session = ChatSession(model, "xml_tag", demo_tools(), approver=ask)
result = session.send("Put bread on my shopping list.")
print("the model was told:", result.calls[0].result.content)
'''


@dataclass(frozen=True, slots=True)
class TourStep:
    """One step: what it shows, the *command*, and what to look at in what it prints.

    *files* are written before, *shown* is one to be printed first. *lacks* gives the command that
    has to be run before this step can be.
    """

    title: str
    about: str
    command: str
    notice: str
    files: Mapping[str, str] = field(default_factory=dict)
    shown: str = ""
    lacks: Callable[[], str] = lambda: ""


def _lacks_model() -> str:
    from ..endpoints.local.models import DEFAULT_MODEL, find_model

    if find_spec("xllamacpp") is None:
        return install_command("local")
    try:
        find_model(DEFAULT_MODEL)
    except UsageError:
        return f"toolproto model pull {DEFAULT_MODEL}"
    return ""


def _lacks_testing() -> str:
    there = all(map(find_spec, ("pytest", "hypothesis", "syrupy")))
    return "" if there else install_command("testing")


STEPS = (
    TourStep(
        "A call",
        "A language model with 135 million parameters runs in this process. It can only write "
        "text. It is shown a few tools and asked about the weather.",
        "toolproto chat --local --tools demo --message 'What is the weather in Rome?'",
        "You saw the call that was read out of the reply, then the result of the tool, then "
        "the answer.",
        lacks=_lacks_model,
    ),
    TourStep(
        "A drifted call, and its repair",
        "Models drift from the form they were shown. This reply has single quotes and a comma too "
        "many:",
        "toolproto explain drifted.txt --paradigm xml_tag --tools demo",
        "The call was read all the same, and every repair has a name and a grade.",
        {"drifted.txt": _DRIFTED},
        "drifted.txt",
    ),
    TourStep(
        "A call that is only shown",
        "Here the model explains how a call is written. That call must not run:",
        "toolproto explain shown.txt --paradigm xml_tag --tools demo",
        "It was ignored, and the output says why: it is in code.",
        {"shown.txt": _SHOWN},
        "shown.txt",
    ),
    TourStep(
        "An approval",
        "Calls that only read are run at once. This one changes a file, so somebody is asked:",
        "python approval.py",
        "Whatever you answered, the model was told. `toolproto chat` asks in the same way.",
        {"approval.py": _APPROVAL},
        "approval.py",
    ),
    TourStep(
        "A paradigm of your own",
        "A form of call is a declaration. This command writes one, with its tests and fixtures:",
        "toolproto new-paradigm bracket --open '[[call ' --close ']]'",
        "The dozen lines in bracket.py are all you need: teaching, writing and reading follow.",
    ),
    TourStep(
        "Its laws",
        "Every paradigm has to keep the same laws; the tests draw cases that try to break them:",
        "pytest -q -k 'round_trip or lossless or fixtures'",
        "`pytest` without options tries all laws.",
        shown="bracket.py",
        lacks=_lacks_testing,
    ),
)


def run_step(step: TourStep, folder: Path) -> int:
    """Do what *step* says in *folder*; the exit code of its command."""
    for name, text in step.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return subprocess.run(list(_words(step.command)), cwd=folder, check=False).returncode


def _words(command: str) -> Iterator[str]:
    """The words of *command*, with the program of this very Python."""
    program, *words = shlex.split(command)
    yield sys.executable
    if program != "python":
        yield from ("-m", program)
    yield from words
