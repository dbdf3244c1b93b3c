"""Draws docs/pictures/*.svg: what the command line looks like, by the code that draws it.

python docs/make_pictures.py [NAME …]
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from toolproto import ToolRegistry, get_paradigm, tool
from toolproto.cli.chat.conversation import Setup, TerminalChat
from toolproto.cli.chat.interrupts import Interrupts
from toolproto.cli.chat.repl import Repl
from toolproto.cli.chat.screen import Screen
from toolproto.cli.explain_view import show_explanation
from toolproto.endpoints import ScriptedEndpoint, ScriptedReply
from toolproto.protocol.messages import Chunk, Usage
from toolproto.testing import explain as explanation

FOLDER = Path(__file__).parent / "pictures"
_WIDTH = 84
#: Fonts that would be fetched from somewhere, and who says that they drew it.
_FOREIGN = re.compile(r"@font-face\s*\{[^}]*\}\s*|<!--.*?-->\s*")
_SECONDS = re.compile(r"\d+\.\d(?=(?:\s|&#160;)s\b)")  # another time each time


@tool
def get_weather(city: str) -> str:
    """Current weather for a city."""
    return {"Oslo": "4 °C, rain", "Rome": "17 °C, sunny"}[city]


@tool(risk="write")
def write_file(path: str, content: str) -> str:
    """Write a file."""
    return f"wrote {len(content)} characters to {path}"


REPLIES = [
    [
        Chunk(reasoning="Two cities: I look both up before I compare them."),
        "Let me look. "
        '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_code>',
    ],
    '<tool_code>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_code>',
    "**Rome**, by thirteen degrees:\n\n- Oslo has 4 °C and rain\n- Rome has 17 °C and sun",
    '<tool_code>{"name": "write_file", "arguments": {"path": "weather.md", "content": '
    '"# Weather\\n\\n- Oslo: 4 °C\\n- Rome: 17 °C\\n"}}</tool_code>',
    "It is in `weather.md`.",
]
TYPED = ["Is it warmer in Oslo or in Rome?", "Write that down.", "y"]


class _Typed:
    """Somebody whose lines are known; they are shown where they would be typed."""

    is_line_empty = True

    def __init__(self, console: Console, lines: list[str]) -> None:
        self._console = console
        self._lines = iter(lines)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        yield

    def message(self, mark: str, *, kept: bool = True) -> str:
        return self.answer(mark)

    def answer(self, question: str) -> str:
        line = next(self._lines, None)
        if line is None:
            self._console.line()
            raise EOFError
        self._console.print(Text.assemble((question, "bold cyan"), line))
        return line

    def edited(self, text: str) -> str | None:
        return None


def chat(console: Console) -> None:
    """A short conversation: calls that only read, and one that asks."""
    replies = [ScriptedReply(each, usage=Usage(160, 40)) for each in REPLIES]
    tools = ToolRegistry([get_weather, write_file])
    setup = Setup(ScriptedEndpoint(*replies), get_paradigm, "xml_tag", tools)
    screen = Screen(console)
    Repl(TerminalChat(setup), screen, _Typed(console, TYPED), Interrupts()).run()


EXPLAINED = """<think>They want the weather.</think>Let me look. Written as
`<tool_code>{"name": "now", "arguments": {}}</tool_code>` it would only be shown.
<tool_code>{'name': 'getWeather', 'arguments': {'city': 'Oslo',}}</tool_code>
<tool_code>{"name": "get_weather", "arguments": {"town": "Rome"}}</tool_code>
get_weather(city="Bergen")"""


def explain(console: Console) -> None:
    """One reply: a call that is repaired, one that is rejected, and two that are ignored."""
    explained = explanation.explain_reply(EXPLAINED, get_paradigm("xml_tag"), [get_weather])
    show_explanation(explained, console)


#: Each picture by its name: a function that draws it on the console it is given.
PICTURES: dict[str, Callable[[Console], None]] = {
    "chat": chat,
    "explain": explain,
}


def drawn(name: str) -> Console:
    """A console with the picture *name* on it."""
    console = Console(
        file=io.StringIO(), record=True, width=_WIDTH, color_system="truecolor", highlight=False
    )
    PICTURES[name](console)
    return console


def as_svg(name: str) -> str:
    """The picture *name*, which needs nothing from elsewhere."""
    svg = drawn(name).export_svg(title=f"toolproto {name}", unique_id=name)
    return _SECONDS.sub("1.8", _FOREIGN.sub("", svg))


def as_text(name: str) -> str:
    """What the picture *name* says."""
    lines = drawn(name).export_text().split("\n")
    return _SECONDS.sub("1.8", "\n".join(line.rstrip() for line in lines).strip("\n"))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for chosen in sys.argv[1:] or PICTURES:
        (FOLDER / f"{chosen}.svg").write_text(as_svg(chosen), encoding="utf-8")
