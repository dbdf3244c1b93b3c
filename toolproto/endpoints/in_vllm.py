"""vLLM's ``LLM`` in this process, streamed and held to grammars."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any

from ..errors import EndpointError, UsageError
from ..messages import ChatRequest, Chunk, Usage
from .dialects import CHATML
from .holding import Holding
from .in_process import InProcessEndpoint, Template, library, named

__all__ = ["VllmEndpoint"]

_library = partial(library, extra="vllm")
_NUMBERS = count(1)


class VllmEndpoint(InProcessEndpoint):
    """Replies of *llm*, a ``vllm.LLM``.

    The chat template is the tokenizer's own; *template* is for those without one (ChatML, unless it
    is given). *params* are for every request, but those of a request win: OpenAI's names, or those
    of ``vllm.SamplingParams``. A reply is streamed, held to a grammar where one is asked for, and
    aborted when it is left early. One is made at a time: for many at once, run ``vllm serve``.
    """

    def __init__(
        self,
        llm: Any,
        *,
        template: Template = CHATML,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        _library("vllm")
        engine = getattr(llm, "llm_engine", None)
        if not hasattr(engine, "add_request") or not hasattr(llm, "get_tokenizer"):
            raise UsageError(f"{type(llm).__name__} cannot be used: give a vllm.LLM")
        self._engine: Any = engine
        #: Whether it is told grammars.
        self.holding = Holding("vllm")
        super().__init__(llm.get_tokenizer(), template, params)

    def __repr__(self) -> str:
        config = getattr(self._engine, "model_config", None)
        return f"VllmEndpoint({getattr(config, 'model', '')!r})"

    def _generated(self, request: ChatRequest, params: dict[str, Any]) -> Iterator[Chunk]:
        prompt = {
            "prompt_token_ids": self._tokenizer.encode(
                self._prompt(request.messages), add_special_tokens=not self._is_templated
            )
        }
        stops = [*request.stop, *([] if self._is_templated else [self._template.end])]
        held = self.holding.held(request, self._params)
        try:
            id = self._begun(prompt, params if held is None else {**params, **held.params}, stops)
        except Exception as error:
            failure = EndpointError(f"vLLM refuses the request: {error}")
            if held is None or not self.holding.is_refusal(failure, request.constraint):
                raise failure from error
            id = self._begun(prompt, params, stops)
        yield from self._said(id, len(prompt["prompt_token_ids"]))

    def _begun(self, prompt: Any, params: Mapping[str, Any], stops: list[str]) -> str:
        """The name under which the engine now works on *prompt*."""
        name = f"toolproto-{next(_NUMBERS)}"
        self._engine.add_request(name, prompt, _sampling(params, stops))
        return name

    def _said(self, id: str, length: int) -> Iterator[Chunk]:
        written, reason = 0, None
        try:
            while reason is None:
                for output in self._engine.step():
                    # What the program itself has begun there is not for us.
                    if output.request_id != id:
                        continue
                    part = output.outputs[0]
                    written += len(part.token_ids)
                    reason = part.finish_reason
                    if part.text:
                        yield Chunk(part.text)
        except Exception as error:
            raise EndpointError(f"the model failed: {error}") from error
        finally:
            if reason is None:
                self._engine.abort_request([id])
        yield Chunk(finish_reason=reason, usage=Usage(length, written))


def _sampling(params: Mapping[str, Any], stops: list[str]) -> Any:
    vllm = _library("vllm.sampling_params")
    options = named(params)
    wanted = options.pop("response_format", None) or {}
    told = dict(options.pop("structured_outputs", None) or {})
    if wanted.get("type") == "structural_tag":
        told = {"structural_tag": json.dumps(wanted)}
    elif wanted.get("type") == "json_schema":
        told = {"json": wanted["json_schema"]["schema"]}
    if told:
        options["structured_outputs"] = vllm.StructuredOutputsParams(**told)
    return vllm.SamplingParams(
        **{
            # Special tokens stay: with some models those are what calls begin with.
            "skip_special_tokens": False,
            **options,
            "stop": [*(options.get("stop") or ()), *filter(None, stops)],
            "output_kind": vllm.RequestOutputKind.DELTA,
        }
    )
