"""What a line that begins with ``/`` does: a table, and one function for each."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rich.text import Text

from ...conversation.session import export_jsonl, export_markdown
from ...endpoints.attachments import image
from ...protocol.errors import UsageError
from ...protocol.foreign_text import visible
from ...protocol.messages import ToolResult
from ...protocol.paradigms import list_paradigms
from ...protocol.tools.define import Tool
from .conversation import TerminalChat
from .drawing import Whole
from .folding import one_line
from .live_text import thought
from .screen import Screen

__all__ = ["COMMANDS", "Leave", "SlashCommand", "completions", "run"]

_FORMATS = ("jsonl", "md")


class Talk(Protocol):
    """The chat at a terminal, as far as its commands need it."""

    chat: TerminalChat
    screen: Screen
    thinking: bool

    def turn(self, text: str, beside: int | None = None) -> None:
        """Send *text*, or say it anew *beside* an earlier message."""
        ...

    def agrees(self, question: str) -> bool:
        """Ask the person, and return True if they say yes."""
        ...

    def settle_pending(self) -> bool:
        """Ask about the calls that wait."""
        ...


class Leave(Exception):
    """The person wants to go."""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command: what may follow its name, what it is for, and what it does."""

    form: str
    purpose: str
    run: Callable[[Talk, str], None]


def run(repl: Talk, line: str) -> None:
    """Do what *line*, which begins with a slash, asks for."""
    name, _, rest = line[1:].partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        near = difflib.get_close_matches(name, COMMANDS, 1, 0.4)
        hint = f"did you mean /{near[0]}?" if near else "/help lists them"
        raise UsageError(
            f"there is no command /{name}; {hint} (to begin a message with a slash, write //)"
        )
    command.run(repl, rest.strip())


def completions(line: str) -> list[str]:
    """The lines that *line* could become."""
    name, blank, rest = line.partition(" ")
    if not line.startswith("/"):
        return []
    if blank:
        known = list_paradigms() if name == "/paradigm" else []
        return [f"{name} {each}" for each in known if each.startswith(rest)]
    return [f"/{each} " for each in COMMANDS if each.startswith(name[1:])]


def _help(repl: Talk, _: str) -> None:
    width = max(len(f"/{name} {each.form}") for name, each in COMMANDS.items()) + 2
    for name, each in COMMANDS.items():
        said = Text.assemble((f"/{name}", "bold"), f" {each.form}".ljust(width - len(name) - 1))
        repl.screen.show(said.append(each.purpose))
    repl.screen.say(
        'A line that ends in \\ continues; """ or ``` begin a message of several lines. '
        "Ctrl-C cancels a turn, Ctrl-D leaves."
    )


def _tools(repl: Talk, rest: str) -> None:
    tools = repl.chat.setup.tools
    switch, _, patterns = rest.partition(" ")
    if switch in ("on", "off") and patterns:
        (tools.enable if switch == "on" else tools.disable)(*patterns.split())
    elif rest:
        raise UsageError("write /tools, /tools off NAME or /tools on NAME; fs_* names several")
    if not tools:
        repl.screen.say("there are no tools; start with --tools my_tools.py")
    for tool in tools.values():
        said = _tool(tool)
        repl.screen.show(said if tools.is_enabled(tool.name) else said.append(" (off)", "dim"))


def _tool(tool: Tool) -> Text:
    what = one_line(tool.spec.description, 120)
    named = ", ".join(tool.spec.properties)
    return Text.assemble((tool.name, "bold"), f"({visible(named)})", f" {tool.risk}: {what}")


def _pending(repl: Talk, _: str) -> None:
    if not repl.chat.session.pending:
        raise UsageError("no call waits for a decision")
    repl.settle_pending()


def _paradigm(repl: Talk, name: str) -> None:
    if name:
        repl.chat.change(paradigm=name)
    paradigm = repl.chat.session.paradigm
    about = (type(paradigm).__doc__ or "").strip().split("\n")[0]
    repl.screen.say(f"{paradigm.name}: {about}", "")


def _model(repl: Talk, name: str) -> None:
    source = repl.chat.setup.source
    if name:
        repl.chat.use_model(name)
        repl.screen.say(f"talking with {name} from now on")
        return
    for each in source.models():
        mark = "*" if each == source.model_name else " "
        repl.screen.show(Text(f"{mark} {one_line(each, 120)}"))
    repl.screen.say("/model NAME takes another")


def _image(repl: Talk, source: str) -> None:
    attached = repl.chat.attached
    if source:
        attached.append(image(source))
    elif not attached:
        raise UsageError("write /image FILE, or an address; your next message shows it")
    for each in attached:
        repl.screen.say(f"your next message shows [{each}]")


def _clear(repl: Talk, _: str) -> None:
    kept = repl.chat.setup.id if repl.chat.is_kept and repl.chat.session.turns else ""
    repl.chat.forget()
    repl.screen.say("a new conversation" + (f"; the old one is kept as {kept}" if kept else ""))


def _system(repl: Talk, text: str) -> None:
    if text:
        repl.chat.change(system=text)
        repl.screen.say("this is the system prompt from now on")
    elif repl.chat.setup.system:
        repl.screen.show(Whole("system prompt", repl.chat.setup.system))
    else:
        repl.screen.say("there is no system prompt except the tools' own; /system TEXT sets one")


def _retry(repl: Talk, _: str) -> None:
    last = repl.chat.last_message()
    if last is None:
        raise UsageError("there is no message to send again")
    text, turn = last
    repl.screen.say(f"again: {one_line(text, 60)}")
    repl.turn(text, beside=turn)


def _save(repl: Talk, rest: str) -> None:
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"/save {rest}: {error}") from None
    if not 1 <= len(words) <= 2 or (words[1:] and words[1] not in _FORMATS):
        raise UsageError("write /save FILE, /save FILE jsonl or /save FILE md")
    path = Path(words[0]).expanduser()
    form = words[1] if words[1:] else "md" if path.suffix == ".md" else "jsonl"
    if path.exists() and not repl.agrees(f"{path} exists already; replace it?"):
        return
    store, id = repl.chat.setup.store, repl.chat.setup.id
    text = export_markdown(store, id) if form == "md" else "".join(export_jsonl(store, id))
    path.write_text(text, encoding="utf-8", errors="replace")
    repl.screen.say(f"saved as {form} in {path}")


def _thinking(repl: Talk, switch: str) -> None:
    if switch in ("on", "off"):
        repl.thinking = switch == "on"
        repl.screen.say(f"thinking is now {'shown as it arrives' if repl.thinking else 'folded'}")
        return
    said = [each.reasoning for each in repl.chat.session.messages if each.reasoning]
    if not said:
        raise UsageError("there was no thinking yet; /thinking on shows it as it arrives")
    repl.screen.show(thought(visible(said[-1])))


def _result(repl: Talk, number: str) -> None:
    results = [each for said in repl.chat.session.messages for each in said.results]
    back = int(number) if number.isdecimal() else 1
    if not 1 <= back <= len(results):
        raise UsageError(f"there are {len(results)} results; /result 1 shows the last")
    repl.screen.show(_whole(results[-back]))


def _whole(result: ToolResult) -> Whole:
    return Whole(result.call.name, str(result.metadata.get("full", result.content)))


def _diff(repl: Talk, _: str) -> None:
    result = repl.chat.session.turns[-1].result if repl.chat.session.turns else None
    diff = "".join(step.diff for step in result.steps) if result else ""
    if not diff:
        raise UsageError("the last turn changed no file")
    repl.screen.show(Whole("changes of the last turn", diff))


def _undo(repl: Talk, _: str) -> None:
    paths = repl.chat.session.undo()
    repl.screen.say(f"put back: {', '.join(map(one_line, paths))}")


def _trace(repl: Talk, number: str) -> None:
    results = [each for said in repl.chat.session.messages for each in said.results]
    failed = [each for each in results if each.metadata.get("traceback")]
    back = int(number) if number.isdecimal() else 1
    if not 1 <= back <= len(failed):
        raise UsageError(f"{len(failed)} tools raised an error here; /trace 1 shows the last")
    shown = failed[-back]
    repl.screen.show(Whole(shown.call.name, str(shown.metadata["traceback"])))


def _quit(repl: Talk, _: str) -> None:
    raise Leave


COMMANDS = {
    "help": SlashCommand("", "this list", _help),
    "tools": SlashCommand("[on|off NAME]", "list the model's tools; switch some off or on", _tools),
    "pending": SlashCommand("", "decide about calls that wait", _pending),
    "paradigm": SlashCommand("[NAME]", "show the form of calls, or choose another one", _paradigm),
    "model": SlashCommand("[NAME]", "list the models, or talk with another one", _model),
    "image": SlashCommand("FILE", "show the model a picture with your next message", _image),
    "clear": SlashCommand("", "forget the conversation and begin a new one", _clear),
    "system": SlashCommand("[TEXT]", "show the system prompt, or set another one", _system),
    "retry": SlashCommand("", "send the last message again, for another answer", _retry),
    "result": SlashCommand("[N]", "show the last result whole, or the Nth last", _result),
    "diff": SlashCommand("", "show what the last turn changed in files", _diff),
    "undo": SlashCommand("", "restore the files that the last turn changed", _undo),
    "trace": SlashCommand("[N]", "show the last error of a tool, or the Nth last", _trace),
    "thinking": SlashCommand("[on|off]", "show the last thinking, or always show it", _thinking),
    "save": SlashCommand("FILE [jsonl|md]", "write the conversation to a file", _save),
    "quit": SlashCommand("", "leave; /exit does the same", _quit),
    "exit": SlashCommand("", "leave", _quit),
}
