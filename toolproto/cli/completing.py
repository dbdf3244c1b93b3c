"""What a shell may put in the place of a half-written word: paradigms, models, sessions, endpoints.

All of it is on this machine: no server is asked. A word that cannot be completed is no error:
whatever goes wrong here leaves the shell without suggestions. The settings of a folder are used
only if it is trusted, for they choose the store that is opened.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    split_arg_string,
)

from .settings import Settings, load_settings

__all__ = ["ENDPOINT", "FILE", "LOCAL_MODEL", "MODEL", "PARADIGM", "SESSION", "TOOLS"]

#: Where servers listen on one's own machine, unless they are told otherwise: llama.cpp, vLLM,
#: Ollama, LM Studio, SGLang.
_USUAL = tuple(f"http://localhost:{port}/v1" for port in (8080, 8000, 11434, 1234, 30000))
_MOST_SESSIONS = 100
_Words = Callable[[click.Context], Iterable[str]]


class _Text(click.types.StringParamType):
    """Text of which a shell can be told some values; the shell completes *files* itself."""

    def __init__(self, words: _Words, files: bool = False) -> None:
        self._words = words
        self._files = files

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The values that *incomplete* may become; a file, if it is none of them."""
        found: list[str] = []
        with suppress(Exception):  # see above: no suggestions are better than an error
            found += [each for each in self._words(ctx) if each.startswith(incomplete)]
        if self._files and not found:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(each) for each in dict.fromkeys(found)]


def _settings() -> Settings:
    found = load_settings()
    return found if found.trust is None or found.trust.is_known else Settings()


def _paradigms(_: click.Context) -> list[str]:
    from ..protocol.paradigms import list_paradigms

    return [*list_paradigms(), "auto"]


def _local_models(_: click.Context) -> list[str]:
    from ..endpoints.local.models import DEFAULT_MODEL, installed_models

    return [DEFAULT_MODEL, *(model.name for model in installed_models())]


def _models(_: click.Context) -> list[str]:
    settings = _settings()
    named = settings.values.get("model")
    return [*settings.table("models"), *([named] if isinstance(named, str) else [])]


def _endpoints(_: click.Context) -> Iterator[str]:
    settings = _settings()
    named = [settings.values.get("endpoint"), settings.values.get("upstream")]
    named += [each.get("url") for each in settings.table("upstreams").values()]
    named.append(os.environ.get("TOOLPROTO_ENDPOINT"))
    yield from (each for each in named if isinstance(each, str))
    yield from _USUAL


def _sessions(ctx: click.Context) -> list[str]:
    from ..conversation.stores import open_store

    file = str(_store(ctx) or "").removeprefix("sqlite:///")
    if not file or "://" in file or not Path(file).is_file():
        return []  # a store that is no file is a server's
    store = open_store(file)
    try:
        return [each.id for each in store.list("", limit=_MOST_SESSIONS)]
    finally:
        store.close()


def _store(ctx: click.Context) -> Any:
    """What was said about the store so far, here or before a command of commands."""
    at: click.Context | None = ctx
    while at is not None:
        if at.params.get("store"):
            return at.params["store"]
        at = at.parent
    return _settings().values.get("store")


FILE = _Text(lambda _: (), files=True)
PARADIGM = _Text(_paradigms, files=True)
MODEL = _Text(_models)
LOCAL_MODEL = _Text(_local_models, files=True)
ENDPOINT = _Text(_endpoints)
SESSION = _Text(_sessions)
TOOLS = _Text(lambda _: ("demo", "files:", "python:"), files=True)

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' type value word
    # Bash takes a colon for the end of a word; the line itself tells what was written.
    word="${COMP_LINE:0:COMP_POINT}"
    word="${word##*[[:space:]=]}"
    COMPREPLY=()
    while IFS=',' read -r type value; do
        [[ $type == plain ]] && COMPREPLY+=("${value#"${word%%"${word##*:}"}"}")
        [[ $type == dir ]] && compopt -o dirnames 2> /dev/null
        [[ $type == file ]] && compopt -o default 2> /dev/null
        [[ $value == *: ]] && compopt -o nospace 2> /dev/null
    done < <(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" %(complete_var)s=bash_complete "$1")
}

complete -F %(complete_func)s %(prog_name)s
"""


@add_completion_class
class _Bash(BashComplete):
    """Click's, but for words with colons in them, such as addresses."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words of the line, and the one that is being written."""
        if "COMP_LINE" not in os.environ:
            return super().get_completion_args()
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)
        is_begun = bool(words) and not line[-1:].isspace()
        return (words[1:-1], words[-1]) if is_begun else (words[1:], "")
