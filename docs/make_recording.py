"""Draws docs/pictures/first-minute.svg: commands typed into a real terminal, and what came of them.

    python docs/make_recording.py

Each command of ``SCENES`` is run in a pseudo-terminal, and every state of its screen that lasts
becomes a frame. The model's words are those of a real run, kept in ``pictures/first-minute.jsonl``
(made with ``toolproto chat --local --record``), so that the picture is the same on every machine.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from html import escape
from itertools import groupby
from pathlib import Path

import pexpect
import pyte

PICTURES = Path(__file__).parent / "pictures"
PICTURE = PICTURES / "first-minute.svg"
CASSETTE = PICTURES / "first-minute.jsonl"
COLUMNS, ROWS = 96, 24
_LIMIT = 120
#: What is typed, and how many seconds it is to be looked at. A comment is typed and not run.
SCENES = [
    ("# A model of 135 million parameters, in this process, with a few tools:", 1.5),
    ("toolproto chat --local --temperature 0 --message 'What is the weather in Rome?'", 5.0),
    ("# Models drift from the form they were shown. Single quotes, one comma too many:", 1.5),
    ("cat drifted.txt", 2.0),
    ("toolproto explain drifted.txt --paradigm xml_tag --tools demo", 6.0),
]
FILES = {
    "drifted.txt": "Let me look. <tool_code>{'name': 'get_weather', "
    "'arguments': {'city': 'Oslo',}}</tool_code>\n"
}
_PROMPT = "$ "
_SECONDS = re.compile(r"\d+\.\d s\b")
_COLOURS = {
    "default": "#d8dee9", "red": "#e06c75", "green": "#98c379", "yellow": "#e5c07b",
    "brown": "#e5c07b", "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2",
    "white": "#ffffff", "black": "#7f8794", "brightblack": "#7f8794",
}  # fmt: skip
_WIDTH, _HEIGHT, _EDGE = 8.4, 18, 14


class Screen:
    """A terminal that is looked at."""

    def __init__(self) -> None:
        self.seen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.Stream(self.seen)
        #: Each picture of the screen, and the seconds it is shown.
        self.frames: list[tuple[list[str], float]] = []

    def write(self, text: str) -> None:
        self._stream.feed(text)

    def keep(self, seconds: float) -> None:
        """Show what is on the screen for so long."""
        self.frames.append((self._rows(), seconds))

    def _rows(self) -> list[str]:
        return [self._row(number) for number in range(ROWS)]

    def _row(self, number: int) -> str:
        """One line as SVG; characters of one look are one span."""
        cells = [self.seen.buffer[number][column] for column in range(COLUMNS)]
        spans = []
        for look, same in groupby(cells, lambda cell: (cell.fg, cell.bold)):
            text = "".join(cell.data for cell in same)
            spans.append(_span(text, *look))
        return "".join(spans).rstrip()


def _span(text: str, colour: str, bold: bool) -> str:
    if not text.strip():
        return text
    fill = _COLOURS.get(colour, f"#{colour}" if len(colour) == 6 else _COLOURS["default"])
    style = f' fill="{fill}"' if fill != _COLOURS["default"] else ""
    weight = ' font-weight="bold"' if bold else ""
    said = escape(_SECONDS.sub("1.8 s", text), quote=False)
    return f"<tspan{style}{weight}>{said}</tspan>" if style or weight else said


def played() -> Screen:
    """The scenes, run one after the other."""
    screen = Screen()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        for command, seconds in SCENES:
            screen.write(f"\x1b[1;32m{_PROMPT}\x1b[0m")
            for end in range(6, len(command) + 6, 6):  # typed, a few letters at a time
                screen.write(command[end - 6 : end])
                screen.keep(0.08)
            screen.keep(0.4)
            screen.write("\r\n")
            if not command.startswith("#"):
                screen.write(_printed(command, folder))
            screen.keep(seconds)
    return screen


def _printed(command: str, folder: str) -> str:
    """What *command* writes to a terminal, to its end."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("TOOLPROTO")},
        "TOOLPROTO_CHAT_RECORDING": str(CASSETTE),
        "TERM": "xterm-256color",
        "HOME": folder,
        "XDG_STATE_HOME": folder,
        "PYTHONIOENCODING": "utf-8",
    }
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    program = f'"{sys.executable}" -m toolproto'
    child = pexpect.spawn(
        "/bin/sh",
        ["-c", re.sub(r"^toolproto\b", program, command)],
        cwd=folder,
        env=environment,
        encoding="utf-8",
        dimensions=(ROWS, COLUMNS),
        timeout=_LIMIT,
    )
    text: str = child.read()
    child.close()
    if child.exitstatus:
        raise SystemExit(f"{command} ended with {child.exitstatus}:\n{text}")
    return text


def as_svg(screen: Screen) -> str:
    """The frames of *screen*, one after the other, over and over."""
    whole = sum(seconds for _, seconds in screen.frames)
    width, height = COLUMNS * _WIDTH + 2 * _EDGE, ROWS * _HEIGHT + 2 * _EDGE
    styles, groups, begun = [], [], 0.0
    for number, (rows, seconds) in enumerate(screen.frames):
        first, last = 100 * begun / whole, 100 * (begun + seconds) / whole
        begun += seconds
        styles.append(
            f"@keyframes f{number} {{ {first:.2f}% {{ visibility: visible }} "
            f"{last:.2f}% {{ visibility: hidden }} }} "
            f".f{number} {{ animation: f{number} {whole:.1f}s step-end infinite }}"
        )
        lines = "".join(
            f'<text x="{_EDGE}" y="{_EDGE + _HEIGHT * (at + 0.75):.1f}">{row}</text>'
            for at, row in enumerate(rows)
            if row
        )
        # Where nothing moves, the last frame is the picture.
        still = "" if number == len(screen.frames) - 1 else ' visibility="hidden"'
        groups.append(f'<g class="f{number}"{still}>{lines}</g>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
            'role="img" aria-label="The first minute with toolproto in a terminal">',
            "<style>g { visibility: hidden } text { white-space: pre; fill: #d8dee9; "
            "font: 14px ui-monospace, Menlo, Consolas, monospace }",
            *styles,
            f"@media (prefers-reduced-motion: reduce) {{ g {{ animation: none !important }} "
            f".f{len(groups) - 1} {{ visibility: visible }} }}",
            "</style>",
            f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#1f2430"/>',
            *groups,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(as_svg(played()), encoding="utf-8")
