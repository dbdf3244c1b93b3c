"""What all models have in common that the program itself has loaded."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from threading import Lock
from typing import Any

from ..errors import UsageError
from ..messages import Attachment, ChatRequest, Chunk, Message
from ..package import install_command
from .chat_template import accepted
from .dialects import CHATML, PromptTemplate
from .function import FunctionEndpoint

__all__ = ["InProcessEndpoint", "Template", "library", "named"]

Template = PromptTemplate | Callable[[Sequence[Message]], str]

#: What a service may be told, and a model that runs here has no words for.
_NOT_FOR_IT = ("tools", "tool_choice", "n", "stream", "stream_options")
#: Where a request says nothing about it, a reply has an end all the same.
_MOST_TOKENS = 1024


class InProcessEndpoint(FunctionEndpoint):
    """Replies that a model in this process generates, one at a time.

    *tokenizer* has the chat template; *template* is for those without one. *params* are for every
    request, a request's own win.
    """

    def __init__(
        self, tokenizer: Any, template: Template = CHATML, params: Mapping[str, Any] | None = None
    ) -> None:
        self._tokenizer: Any = tokenizer
        self._template = (
            template if isinstance(template, PromptTemplate) else PromptTemplate(template)
        )
        self._params = dict(params or {})
        self._busy = Lock()
        super().__init__(self._reply)

    @abstractmethod
    def _generated(self, request: ChatRequest, params: dict[str, Any]) -> Iterator[Chunk]:
        """The chunks of the reply to *request*; leaving off stops the model."""

    def sees(self, attachment: Attachment) -> bool:
        """False: models that run here are not shown pictures."""
        return False

    def _reply(self, request: ChatRequest) -> Iterator[Chunk]:
        if any(message.attachments for message in request.messages):
            raise UsageError(f"a model of {type(self).__name__} cannot be shown pictures")
        with self._busy:
            yield from self._generated(request, {**self._params, **request.params})

    @property
    def _is_templated(self) -> bool:
        return bool(getattr(self._tokenizer, "chat_template", None))

    def _prompt(self, messages: Sequence[Message]) -> str:
        """*messages* as the model was trained on them."""
        if self._is_templated:
            return accepted(self._rendered, messages)
        return self._template.render(messages)

    def _rendered(self, turns: list[dict[str, str]]) -> str:
        text: str = self._tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True
        )
        return text

    def _ends(self) -> list[str]:
        """What the model writes when its turn is over, as text."""
        ends = [str(getattr(self._tokenizer, "eos_token", None) or "")]
        return ends if self._is_templated else [*ends, self._template.end]


def named(params: Mapping[str, Any], most_tokens: str = "max_tokens") -> dict[str, Any]:
    """*params* without what is not for a model itself; *most_tokens* is its word for that limit."""
    names = dict.fromkeys(("max_tokens", "max_completion_tokens"), most_tokens)
    known = {
        names.get(name, name): value
        for name, value in params.items()
        if name not in _NOT_FOR_IT and value is not None
    }
    return {most_tokens: _MOST_TOKENS, **known}


def library(name: str, extra: str) -> Any:
    """The module *name*; UsageError with the command that installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(
            f"this needs {name.partition('.')[0]} ({error}): {install_command(extra)}"
        ) from None
