"""Values that travel between the program, the protocol and the endpoint.

All are frozen; equality means content. How a value came about (its id, the text it was
read from, where that text stood, what had to be mended) does not take part in equality.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import count
from typing import Any, Literal, NamedTuple

__all__ = [
    "ECHOED",
    "PLACES",
    "Attachment",
    "CallProblem",
    "ChatRequest",
    "Chunk",
    "Grade",
    "IdFactory",
    "Message",
    "MessageSegment",
    "NativePiece",
    "ProblemKind",
    "Repair",
    "Role",
    "Span",
    "ToolCall",
    "ToolResult",
    "Usage",
    "counted_ids",
    "is_random_id",
    "new_id",
    "random_id",
    "without_ids",
]

Role = Literal["system", "user", "assistant"]
IdFactory = Callable[[], str]
_DRAWN = re.compile(r"(?<![0-9A-Za-z_])call_[0-9a-f]{12}(?![0-9a-f])")


def new_id(what: str) -> str:
    """Return a fresh id for a *what*: ``message_`` and some digits, say."""
    return f"{what}_{secrets.token_hex(6)}"


def random_id() -> str:
    """A fresh call id that no model can have seen before."""
    return new_id("call")


def is_random_id(id: str) -> bool:
    """Whether *id* is one that :func:`random_id` gives."""
    return _DRAWN.fullmatch(id) is not None


def without_ids(text: str) -> str:
    """*text* with one word for every id that :func:`random_id` gives."""
    return _DRAWN.sub("call_drawn", text)


def counted_ids(prefix: str = "call_") -> IdFactory:
    """A factory of ``call_1``, ``call_2``, …: for tests and snapshots."""
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers)}"


class Span(NamedTuple):
    """Characters ``[start, end)`` of a reply."""

    start: int
    end: int


class Grade(Enum):
    """How certain a repair is."""

    LOSSLESS = "lossless"  # another spelling of the same value
    GUESSED = "guessed"  # the likeliest of several readings
    TRUNCATED = "truncated"  # something is missing and was not made up


#: The repair of a call that somebody else wrote first; its detail says whose result it is.
ECHOED = "echoed"

#: Where calls are shown as well as meant; the words complete "you showed a call …".
PLACES: Mapping[str, str] = {
    "thinking": "in a thought",
    "code": "in code",
    "quote": "in a block quote",
    "table": "in a table",
    "html": "in an HTML block or a comment",
    "quotation": "between quotation marks",
    "json": "inside a larger JSON value",
    "container": "in a list item, a heading or a block of indented code",
    "sentence": "in the middle of a sentence",
    "introduced": "between a line that introduces it and more text",
}


@dataclass(frozen=True, slots=True)
class Repair:
    """One departure from the asked form, and how certain its repair is."""

    name: str
    grade: Grade = Grade.LOSSLESS
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asked for.

    *repairs* say how it departs from the asked form. *place* is where it stood if that is doubtful,
    one of the names in ``PLACES``; empty for a call that stood alone.
    """

    name: str
    arguments: Mapping[str, Any]
    id: str = field(default="", compare=False)
    raw: str = field(default="", compare=False, repr=False)
    span: Span = field(default=Span(0, 0), compare=False, repr=False)
    repairs: tuple[Repair, ...] = field(default=(), compare=False)
    place: str = field(default="", compare=False)

    @property
    def grade(self) -> Grade | None:
        """How certain it is that this was meant: None for a call written as asked, and alone.

        That is the grade of its least certain repair; a doubtful place is a guess as well.
        """
        grades = {repair.grade for repair in self.repairs}
        if self.place:
            grades.add(Grade.GUESSED)
        for grade in (Grade.TRUNCATED, Grade.GUESSED, Grade.LOSSLESS):
            if grade in grades:
                return grade
        return None

    @property
    def doubt(self) -> str:
        """Why it may not be meant, to follow "you showed a call …"; empty for a plain call."""
        echoed = "word for word in what a tool gave back" if self.is_echoed else ""
        return PLACES.get(self.place, "in a doubtful place") if self.place else echoed

    @property
    def is_echoed(self) -> bool:
        """Whether it, or a long value in it, appears word for word in what a stranger wrote."""
        return any(repair.name == ECHOED for repair in self.repairs)

    @property
    def is_unmarked(self) -> bool:
        """Whether only its own text, and no marker, shows that a call is meant."""
        return any(r.name == "missing_marker" and r.grade is Grade.GUESSED for r in self.repairs)

    def detached(self) -> ToolCall:
        """The same call with a copy of the arguments, for code that might change them."""
        return replace(self, arguments=deepcopy(dict(self.arguments)))


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image or a document of a message: its bytes in base64, or its address.

    *name* is what a document is called.
    """

    media_type: str
    data: str = field(default="", repr=False)
    url: str = ""
    name: str = ""

    @property
    def is_image(self) -> bool:
        """Whether it is a picture."""
        return self.media_type.startswith("image/")

    @property
    def is_there(self) -> bool:
        """Whether its bytes are here, or anybody can fetch them."""
        return bool(self.data) or self.url.startswith(("http://", "https://"))

    @property
    def as_url(self) -> str:
        """Its address; a data URL if its bytes are here."""
        return f"data:{self.media_type};base64,{self.data}" if self.data else self.url

    def __str__(self) -> str:
        """What it is, in a few words: ``image: image/png, 12 KB``."""
        kind = "image" if self.is_image else "document"
        size = f"{max(len(self.data) * 3 // 4096, 1)} KB" if self.data else self.url[:200]
        known = "" if self.media_type.endswith("*") else self.media_type
        return f"{kind}: {', '.join(filter(None, (self.name[:200], known, size)))}"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of running a call.

    *trusted* is whether its text is the user's or the program's own, or may be a stranger's. None
    counts as a stranger's unless the tool says otherwise.
    """

    call: ToolCall
    content: str
    is_error: bool = False
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: tuple[Any, ...] = ()
    trusted: bool | None = field(default=None, compare=False)


class ProblemKind(Enum):
    """What was wrong with a call."""

    MALFORMED = "malformed"  # its text cannot be read
    TRUNCATED = "truncated"  # the reply ended inside it
    UNKNOWN_TOOL = "unknown_tool"  # nobody offered that tool
    INVALID_ARGUMENTS = "invalid_arguments"  # the tool's schema says no
    NOT_ALLOWED = "not_allowed"  # offered, but not on these terms
    FABRICATED_RESULT = "fabricated_result"  # the model wrote a tool's answer itself
    DOUBTED = "doubted"  # it stands where calls are also shown
    TOO_LARGE = "too_large"  # deeper, longer or with more digits than is read


@dataclass(frozen=True, slots=True)
class CallProblem:
    """The model's mistake, worded so that it can be shown to the model."""

    kind: ProblemKind
    message: str
    raw: str = field(default="", repr=False)
    span: Span = field(default=Span(0, 0), compare=False, repr=False)
    name: str | None = None
    suggestions: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = field(default=(), compare=False)


class MessageSegment(NamedTuple):
    """A part of what an assistant said, in its place: *text*, or the id of a call."""

    kind: Literal["text", "reasoning", "call"]
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message, in the only three roles every endpoint has.

    *content* is the text of the message. An assistant message may also carry the calls that were
    read out of it, and a user message may carry results: a paradigm renders them into text again
    when the message is sent (``encode_history``). *attachments* are for models that can see them.
    *segments* are text, thinking and calls in the order in which the model wrote them;
    :attr:`parts` gives them for every message. *new_tools* names the tools that were not on offer
    before this message of the user; the teaching says whether the model is told so. Messages of a
    session have an *id*, and those that a model wrote say which *model* was asked and how many
    seconds it thought (*thought_seconds*).
    """

    role: Role
    content: str
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    reasoning: str = ""
    attachments: tuple[Attachment, ...] = ()
    segments: tuple[MessageSegment, ...] = field(default=(), compare=False, repr=False)
    new_tools: tuple[str, ...] = ()
    id: str = field(default="", compare=False, repr=False)
    model: str = field(default="", compare=False, repr=False)
    thought_seconds: float | None = field(default=None, compare=False, repr=False)

    @property
    def parts(self) -> tuple[MessageSegment, ...]:
        """The parts of the message, in the order in which the model wrote them if known."""
        said = "".join(each.text for each in self.segments if each.kind == "text")
        if self.segments and said.strip() == self.content.strip():  # nobody changed it since
            return self.segments
        thought = (MessageSegment("reasoning", self.reasoning),) if self.reasoning else ()
        text = (MessageSegment("text", self.content),) if self.content else ()
        return (*thought, *text, *(MessageSegment("call", call.id) for call in self.calls))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the endpoint counted them."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        )


@dataclass(frozen=True, slots=True)
class NativePiece:
    """A piece of a call that a server with tools of its own sent apart from its text.

    Wires differ in what they say. *slot* is the server's number of the call, None without one; *id*
    and *name* are empty where this piece does not give them. *arguments* are more of their JSON
    text; where a wire sends them as a value, all of them at once: an object, or whatever it is.
    """

    slot: int | None = None
    id: str = ""
    name: str = ""
    arguments: Any = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed reply.

    The last piece says why the reply ended: ``"stop"``, ``"length"`` (it was cut), or the
    service's own word. A reply that ends without a reason was broken off. *calls* are pieces of
    calls that the service read by itself, as some do although no tools were offered.
    *raw* is the block of the service's stream that it was read from, empty where there is none.
    """

    text: str = ""
    reasoning: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    raw: str = field(default="", compare=False, repr=False)
    calls: tuple[NativePiece, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is sent to an endpoint, before any wire format.

    The messages are plain text (``calls`` and ``results`` are already rendered); at most one system
    message comes first, then user and assistant alternate. *params* are generation parameters under
    the service's own names (``temperature``, ``max_tokens``). The first *stable_prefix* characters
    of the system message are the same in every request of a session, so a service may cache them.
    *constraint* is the grammar to hold the model to, if the endpoint can (a
    :class:`~toolproto.protocol.grammar.constraint.Constraint`). *model* is for endpoints that have
    several; empty means the usual one. A parameter that is None is left out.

    *offer* (a :class:`~toolproto.protocol.tools.spec.ToolOffer`) is for services with tools of
    their own: the tools go there in the service's way, and the messages have their calls and
    results as values, which the service's API writes. None for a request that is text alone.
    """

    messages: tuple[Message, ...]
    stop: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    stable_prefix: int = 0
    constraint: Any = field(default=None, compare=False, repr=False)
    model: str = ""
    offer: Any = None
