"""A model's own chat template, for servers that only take a prompt.

::

    template = chat_template("models/my-model")  # tokenizer files, a .jinja file or a .gguf
    HttpEndpoint(url, model="m", dialect=OpenAICompletions(template=template))

Templates are programs in Jinja that somebody else wrote: they run in Jinja's sandbox. Some refuse
a system message, or two turns of one role, and some drop the system message without a word: what
they refuse or drop is said in the first message of the user.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

from ..package import install_command
from ..protocol.errors import UsageError
from ..protocol.messages import Message
from .apis.openai_completions.client import PromptTemplate
from .gguf import read_chat_template

__all__ = ["chat_template"]

_LARGEST = 16_000_000
Turns = list[dict[str, str]]


def chat_template(source: str | PathLike[str]) -> PromptTemplate:
    """The template in *source*: a folder of tokenizer files, one of them, or a GGUF file.

    If a tokenizer has several, it is the one called ``default``. UsageError if there is none, or it
    is broken.
    """
    path = Path(source)
    if path.suffix == ".gguf":
        text, tokens = read_chat_template(path)
    else:
        text, tokens = _in_files(path)
    if not text:
        raise UsageError(f"{str(path)!r} contains no chat template")
    made = _Rendering(_compiled(text), tokens)
    return PromptTemplate(made.prompt, tokens.get("eos_token", ""))


@dataclass(frozen=True, slots=True)
class _Rendering:
    """Renders messages with *template*, a program of Jinja's."""

    template: Any
    tokens: Mapping[str, str]

    def prompt(self, messages: Sequence[Message]) -> str:
        """The prompt up to where the assistant goes on."""
        # The server puts its own token before the prompt.
        begin = self.tokens.get("bos_token") or "\0"
        return _accepted(self._rendered, messages).removeprefix(begin)

    def _rendered(self, turns: Turns) -> str:
        rendered: str = self.template.render(
            messages=turns, add_generation_prompt=True, tools=None, documents=None, **self.tokens
        )
        return rendered


def _accepted(render: Callable[[Turns], str], messages: Sequence[Message]) -> str:
    """What *render* makes of *messages*, said in a way that it neither refuses nor drops."""
    turns = [{"role": each.role, "content": each.content} for each in messages]
    system = "".join(turn["content"] for turn in turns if turn["role"] == "system").strip()
    refusal: Exception | None = None
    for said in (turns, _without_system(turns), _taking_turns(_without_system(turns))):
        try:
            prompt = render(said)
        except Exception as error:  # whatever a template of somebody else's raises
            refusal = error
            continue
        if system in prompt or said is not turns:
            return prompt
    raise UsageError(f"the chat template refuses these messages: {refusal}") from refusal


def _without_system(turns: Turns) -> Turns:
    """*turns* with what the system says in the first message of the user."""
    system = "\n\n".join(turn["content"] for turn in turns if turn["role"] == "system")
    others = [turn for turn in turns if turn["role"] != "system"]
    if not others or others[0]["role"] != "user":
        return [{"role": "user", "content": system or "…"}, *others]
    first = "\n\n".join(filter(None, (system, others[0]["content"])))
    return [{"role": "user", "content": first}, *others[1:]]


def _taking_turns(turns: Turns) -> Turns:
    """*turns* with neighbours of one role as one."""
    joined: Turns = []
    for turn in turns:
        if joined and joined[-1]["role"] == turn["role"]:
            said = f"{joined[-1]['content']}\n\n{turn['content']}"
            joined[-1] = {"role": turn["role"], "content": said}
        else:
            joined.append(turn)
    return joined


def _compiled(text: str) -> Any:
    try:
        from jinja2 import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        from .template_tags import GenerationTag
    except ImportError as error:
        raise UsageError(
            f"chat templates need jinja2 ({error}): {install_command('templates')}"
        ) from None

    def refuse(why: str) -> None:
        raise TemplateError(why)

    def as_json(value: Any, indent: int | None = None, **_: Any) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent)

    world = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.loopcontrols", GenerationTag],
    )
    world.filters["tojson"] = as_json
    world.globals["raise_exception"] = refuse
    world.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    try:
        return world.from_string(text)
    except (TemplateError, RecursionError) as error:
        raise UsageError(f"the chat template cannot be read: {error}") from None


# -- files --------------------------------------------------------------------------------


def _in_files(path: Path) -> tuple[str, dict[str, str]]:
    """The template and the special tokens in the tokenizer files at *path*."""
    folder = path if path.is_dir() else path.parent
    config = _json(folder / "tokenizer_config.json") | (
        _json(path) if path.suffix == ".json" else {}
    )
    tokens = _tokens(_json(folder / "special_tokens_map.json")) | _tokens(config)
    if path.is_file() and path.suffix != ".json":
        return _text(path), tokens
    apart = folder / "chat_template.jinja"
    if path.is_dir() and apart.is_file():
        return _text(apart), tokens
    known = config.get("chat_template") or _json(folder / "chat_template.json").get("chat_template")
    if isinstance(known, list):  # several, by name
        usual = [each for each in known if isinstance(each, dict) and each.get("name") == "default"]
        known = usual[0].get("template") if usual else None
    if not path.exists():
        raise UsageError(f"{str(path)!r} does not exist")
    return (known if isinstance(known, str) else ""), tokens


def _tokens(config: Mapping[str, Any]) -> dict[str, str]:
    """The special tokens that templates speak of: each is text, or an object with it."""
    found = {}
    for name in ("bos_token", "eos_token", "pad_token", "unk_token"):
        token = config.get(name)
        text = token.get("content") if isinstance(token, dict) else token
        if isinstance(text, str):
            found[name] = text
    return found


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = json.loads(_text(path))
    except (ValueError, RecursionError):
        raise UsageError(f"{str(path)!r} is not JSON") from None
    return value if isinstance(value, dict) else {}


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{str(path)!r} is too large for a tokenizer's file")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error}") from None
