"""Amazon Bedrock's Converse: ``/model/NAME/converse-stream``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlsplit

from ...errors import EndpointError, WireError
from ...finish_reasons import STOP_SEQUENCE, Ending, ending_of
from ...messages import Attachment, ChatRequest, Chunk, Message, Usage
from ..aws_signing import AwsCredentials, AwsIdentity, current, signed
from ..event_stream import EventStream
from ..frames import Frame
from .base import Dialect, End, count, load, text_of, words_of_error

__all__ = ["BedrockConverse"]

#: OpenAI's names for generation parameters, and those of ``inferenceConfig``.
_CONFIG = {
    "max_tokens": "maxTokens",
    "max_completion_tokens": "maxTokens",
    "maxTokens": "maxTokens",
    "temperature": "temperature",
    "top_p": "topP",
    "topP": "topP",
}
#: Fields of the request itself; every other parameter is the model's own.
_TOP_LEVEL = frozenset(
    ["additionalModelRequestFields", "additionalModelResponseFieldPaths", "guardrailConfig",
     "inferenceConfig", "outputConfig", "performanceConfig", "promptVariables", "requestMetadata",
     "serviceTier"]
)  # fmt: skip
_IMAGES = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
}
_STATUS = {
    "internalServerException": 500,
    "modelStreamErrorException": 424,
    "serviceUnavailableException": 503,
    "throttlingException": 429,
    "validationException": 400,
}
_USUAL = {Ending.DONE: "stop", Ending.TOO_LONG: "length"}
#: Bedrock refuses a message without visible text.
_NOTHING = "-"


@dataclass(frozen=True, slots=True)
class BedrockConverse(Dialect):
    """``POST /model/NAME/converse-stream`` of ``https://bedrock-runtime.REGION.amazonaws.com``.

    With a key of Bedrock's (``api_key``) that goes with each request. Without one, requests are
    signed with *credentials*: an :class:`~toolproto.endpoints.AwsCredentials`, what
    ``boto3.Session().get_credentials()`` gives, or else the variables AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. *region* is needed where the address has none.
    """

    name = "bedrock_converse"
    path = "/model"
    frames = EventStream

    credentials: AwsIdentity | None = field(default=None, repr=False)
    region: str = ""

    def path_of(self, model: str) -> str:
        """Where requests for *model* go: an id, or the ARN of a profile."""
        return f"{self.path}/{quote(model, safe='')}/converse-stream"

    def headers(self, api_key: str | None) -> dict[str, str]:
        """What identifies the caller who has a key of Bedrock's."""
        key = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        return {"accept": "application/vnd.amazon.eventstream", **key}

    def signed(
        self, url: str, headers: Mapping[str, str], content: bytes, now: float
    ) -> Mapping[str, str]:
        """*headers* with a signature, unless they identify the caller already."""
        identity = self._identity
        if "authorization" in headers or identity is None:
            return headers
        return signed(
            url,
            headers,
            content,
            credentials=current(identity),
            region=self.region or _region_of(url),
            service="bedrock",
            now=now,
        )

    def can_sign(self) -> bool:
        """Whether there are credentials to sign with."""
        return self._identity is not None

    @property
    def _identity(self) -> AwsIdentity | None:
        return self.credentials or AwsCredentials.from_environment()

    def takes(self, attachment: Attachment) -> bool:
        """Images and PDFs, with their bytes."""
        is_kind = attachment.media_type in _IMAGES or attachment.media_type == "application/pdf"
        return is_kind and bool(attachment.data)

    def body(self, request: ChatRequest, model: str) -> dict[str, Any]:
        """The request as JSON, the system message apart from the others."""
        system = "".join(each.content for each in request.messages if each.role == "system")
        top = {key: value for key, value in request.params.items() if key in _TOP_LEVEL}
        own = {k: v for k, v in request.params.items() if k not in _TOP_LEVEL and k not in _CONFIG}
        stop = [each for each in request.stop if each.strip()]
        config = {
            **({"stopSequences": stop} if stop else {}),
            **{_CONFIG[key]: value for key, value in request.params.items() if key in _CONFIG},
            **(top.pop("inferenceConfig", None) or {}),
        }
        own |= top.pop("additionalModelRequestFields", None) or {}
        return {
            "messages": list(_turns(request.messages)),
            **({"system": [{"text": system}]} if system.strip() else {}),
            **({"inferenceConfig": config} if config else {}),
            **({"additionalModelRequestFields": own} if own else {}),
            **top,
        }

    def read(self, frame: Frame) -> Chunk | End | None:
        """What *frame* adds to the reply."""
        body = load(frame.data)
        match frame.event:
            case "contentBlockDelta":
                return _block(body.get("delta"))
            case "messageStop":
                return Chunk(finish_reason=_reason(body.get("stopReason")))
            case "metadata":
                usage = _usage(body.get("usage"))
                return None if usage is None else Chunk(usage=usage)
            case "messageStart" | "contentBlockStart" | "contentBlockStop":
                return None
            case name if name in _STATUS or "message" in body:
                words = f"the service reports an error: {words_of_error(body) or name}"
                raise EndpointError(words, status=_STATUS.get(name), body=frame.data)
            case _:
                return None

    def read_whole(self, body: Mapping[str, Any]) -> Chunk:
        """A reply that was not streamed: that of ``converse``."""
        output = body.get("output")
        message = output.get("message") if isinstance(output, dict) else None
        blocks = message.get("content") if isinstance(message, dict) else None
        if not isinstance(blocks, list):
            raise WireError("the reply has no message")
        said = [chunk for chunk in map(_block, blocks) if chunk is not None]
        text, thought = "".join(c.text for c in said), "".join(c.reasoning for c in said)
        return Chunk(text, thought, _reason(body.get("stopReason")), _usage(body.get("usage")))


def _region_of(url: str) -> str:
    """``us-east-1`` of ``bedrock-runtime.us-east-1.amazonaws.com``."""
    parts = (urlsplit(url).hostname or "").split(".")
    if len(parts) > 2 and parts[0].startswith("bedrock"):
        return parts[1]
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"


def _turns(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    """*messages*, of which two of one role in a row are one: the service wants them in turn."""
    others = [each for each in messages if each.role != "system"]
    for role, run in groupby(others, key=lambda message: message.role):
        blocks = [block for message in run for block in _content(message)]
        yield {"role": role, "content": blocks or [{"text": _NOTHING}]}


def _content(message: Message) -> Iterator[dict[str, Any]]:
    if message.content.strip():
        yield {"text": message.content}
    for number, attachment in enumerate(message.attachments, 1):
        source = {"bytes": attachment.data}
        if attachment.media_type in _IMAGES:
            yield {"image": {"format": _IMAGES[attachment.media_type], "source": source}}
        else:
            yield {"document": {"format": "pdf", "name": f"file {number}", "source": source}}


def _block(block: Any) -> Chunk | None:
    """A block of content, or a piece of one: they name their text alike."""
    if not isinstance(block, dict):
        raise WireError(f"a block of the reply is not an object: {str(block)[:200]!r}")
    thought = block.get("reasoningContent")
    inner = thought.get("reasoningText", thought) if isinstance(thought, dict) else {}
    reasoning = text_of(inner.get("text")) if isinstance(inner, dict) else ""
    text = text_of(block.get("text"))
    return Chunk(text, reasoning) if text or reasoning else None


def _reason(reason: Any) -> str | None:
    word = text_of(reason)
    return word if word == STOP_SEQUENCE else _USUAL.get(ending_of(word), word) or None


def _usage(counts: Any) -> Usage | None:
    """Cached input is counted apart by the service; it was read all the same."""
    usage = count(counts, "inputTokens", "outputTokens")
    for name in ("cacheReadInputTokens", "cacheWriteInputTokens"):
        cached = count(counts, name, "")
        usage = usage if usage is None or cached is None else usage + cached
    return usage
