"""A model of mlx-lm in this process: on Apple's chips, and on the processor elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ..errors import EndpointError, UsageError
from ..messages import ChatRequest, Chunk, Usage
from .dialects import CHATML
from .in_process import InProcessEndpoint, Template, library, named
from .stopping import StopSequences

__all__ = ["MlxEndpoint"]

_library = partial(library, extra="mlx")

#: Parameters that choose a token, and what ``make_sampler`` calls them.
_SAMPLING = {"temperature": "temp", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p"}
#: Parameters of ``make_logits_processors``.
_WEIGHING = (
    "logit_bias",
    "repetition_penalty",
    "repetition_context_size",
    "presence_penalty",
    "frequency_penalty",
)


class MlxEndpoint(InProcessEndpoint):
    """Replies of *model* and *tokenizer*, as ``mlx_lm.load("…")`` gives them.

    The chat template is the tokenizer's own; *template* is for those without one (ChatML, unless it
    is given). *params* are for every request, but those of a request win: OpenAI's names
    (``max_tokens``, ``temperature``, ``top_p``, ``seed``), or those of ``stream_generate``. One
    reply is made at a time; leaving it early stops the model at its next token.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        template: Template = CHATML,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        _library("mlx_lm")
        if not callable(model) or not hasattr(tokenizer, "encode"):
            raise UsageError("give the model and the tokenizer that mlx_lm.load(…) gives")
        self._model = model
        super().__init__(tokenizer, template, params)

    def __repr__(self) -> str:
        return f"MlxEndpoint({type(self._model).__module__}.{type(self._model).__name__})"

    def _generated(self, request: ChatRequest, params: dict[str, Any]) -> Iterator[Chunk]:
        cut = StopSequences([*request.stop, *self._ends()])
        said: Any = None
        generating = self._generating(self._prompt(request.messages), params)
        try:
            for said in generating:
                if text := cut.feed(said.text):
                    yield Chunk(text)
                if cut.found:
                    break
        except Exception as error:
            raise EndpointError(f"the model failed: {error}") from error
        finally:
            generating.close()
        usage = (
            None if said is None else Usage(int(said.prompt_tokens), int(said.generation_tokens))
        )
        reason = "stop" if cut.found or said is None else said.finish_reason
        yield Chunk(cut.finish(), "", reason, usage)

    def _generating(self, prompt: str, params: Mapping[str, Any]) -> Any:
        options = named(params)
        options.pop("response_format", None)
        if (seed := options.pop("seed", None)) is not None:
            _library("mlx.core").random.seed(seed)
        utils = _library("mlx_lm.sample_utils")
        sampling = {_SAMPLING[name]: options.pop(name) for name in _SAMPLING if name in options}
        weighing = {name: options.pop(name) for name in _WEIGHING if name in options}
        return _library("mlx_lm").stream_generate(
            self._model,
            self._tokenizer,
            # As numbers: given text, mlx-lm would put a token before it that a template has too.
            self._tokenizer.encode(prompt, add_special_tokens=not self._is_templated),
            sampler=utils.make_sampler(**{"temp": 1.0, **sampling}),
            logits_processors=utils.make_logits_processors(**weighing),
            **options,
        )
