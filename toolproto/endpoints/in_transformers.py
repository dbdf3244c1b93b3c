"""A model of Hugging Face's transformers in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from threading import Event, Thread
from typing import Any

from ..errors import EndpointError, UsageError
from ..messages import ChatRequest, Chunk, Message, Usage
from .dialects import CHATML
from .in_process import InProcessEndpoint, Template, library, named
from .stopping import StopSequences

__all__ = ["TransformersEndpoint"]

_library = partial(library, extra="transformers")


class TransformersEndpoint(InProcessEndpoint):
    """Replies that *model* generates: a ``text-generation`` pipeline, or a model with *tokenizer*.

    The chat template is the tokenizer's own; *template* is for those without one (ChatML, unless it
    is given). *params* are for every request, but those of a request win: OpenAI's names
    (``max_tokens``, ``temperature``, where 0 takes the likeliest token, ``seed``), or those of
    ``generate``. One reply is made at a time; leaving it early stops the model at its next token.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any = None,
        *,
        template: Template = CHATML,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        _library("torch")
        _library("transformers")
        inner: Any = getattr(model, "model", None) if tokenizer is None else model
        tokenizer = getattr(model, "tokenizer", None) if tokenizer is None else tokenizer
        if tokenizer is None or not hasattr(inner, "generate"):
            raise UsageError(
                f"{type(model).__name__} cannot be used: give a text-generation pipeline, or a "
                "model and its tokenizer"
            )
        self._model: Any = inner
        super().__init__(tokenizer, template, params)

    def __repr__(self) -> str:
        return f"TransformersEndpoint({type(self._model).__name__})"

    def _generated(self, request: ChatRequest, params: dict[str, Any]) -> Iterator[Chunk]:
        ids = _eos_ids(self._model)
        ends = [*self._ends(), *(self._tokenizer.decode([each]) for each in ids)]
        return _Generation(self._model, self._tokenizer).run(
            self._inputs(request.messages), _options(params), [*request.stop, *ends]
        )

    def _inputs(self, messages: Sequence[Message]) -> Mapping[str, Any]:
        # A template writes special tokens itself.
        inputs = self._tokenizer(
            self._prompt(messages), return_tensors="pt", add_special_tokens=not self._is_templated
        )
        inputs.pop("token_type_ids", None)
        moved: Mapping[str, Any] = inputs.to(self._model.device)
        return moved


class _Generation:
    """One run of the model, in a thread of its own, which ends with whoever reads it."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        # Special tokens stay: with some models those are what calls begin with.
        self._streamer = _library("transformers").TextIteratorStreamer(
            tokenizer, skip_prompt=True, skip_special_tokens=False
        )
        self._stop, self._error = Event(), list[BaseException]()
        self._length, self._last = 0, -1

    def run(
        self, inputs: Mapping[str, Any], options: Mapping[str, Any], stops: list[str]
    ) -> Iterator[Chunk]:
        """The chunks of the reply."""
        length = int(inputs["input_ids"].shape[-1])
        cut = StopSequences(stops)
        thread = Thread(target=self._generate, args=(inputs, options), name="transformers")
        thread.start()
        try:
            for text in self._streamer:
                if said := cut.feed(text):
                    yield Chunk(said)
                if cut.found:
                    break
        finally:
            self._stop.set()
            thread.join()
        if self._error:
            raise EndpointError(f"the model failed: {self._error[0]}") from self._error[0]
        written = max(self._length - length, 0)
        whole = cut.found or self._last in _eos_ids(self._model)
        reason = "stop" if whole or written < options["max_new_tokens"] else "length"
        yield Chunk(cut.finish(), "", reason, Usage(length, written))

    def _generate(self, inputs: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        try:
            if "seed" in options:
                _library("transformers").set_seed(options["seed"])
            known = {name: value for name, value in options.items() if name != "seed"}
            self._model.generate(
                **inputs, **known, streamer=self._streamer, stopping_criteria=[self._is_over]
            )
        except BaseException as error:  # told by the thread that reads
            self._error.append(error)
            self._streamer.end()

    def _is_over(self, ids: Any, scores: Any, **_: Any) -> Any:
        """Whether somebody has had enough: asked behind every token."""
        self._length, self._last = int(ids.shape[-1]), int(ids[0, -1])
        return ids.new_full((ids.shape[0],), self._stop.is_set(), dtype=_library("torch").bool)


def _options(params: Mapping[str, Any]) -> dict[str, Any]:
    options = named(params, "max_new_tokens")
    options.pop("response_format", None)
    temperature = options.get("temperature")
    if temperature is not None:
        options["do_sample"] = temperature > 0
        if not temperature:
            del options["temperature"]
    return options


def _eos_ids(model: Any) -> list[int]:
    config = getattr(model, "generation_config", None)
    known = getattr(config, "eos_token_id", None)
    return list(known) if isinstance(known, list | tuple) else [] if known is None else [known]
