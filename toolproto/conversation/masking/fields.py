"""Which values are private, and what the model is told instead.

What is sent goes through :meth:`Masking.mask`, what comes back through :meth:`Masking.unmasker`.
A placeholder is letters, digits and hyphens, which no paradigm, no JSON and no Markdown escapes:
``PRIVATE-EMAIL-4F9A2C1B``. Its last part is drawn anew for each session, so that a web page cannot
write one down beforehand and have it filled in by a model that repeats it.
"""

from __future__ import annotations

import re
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count

from ...protocol.errors import UsageError
from ...protocol.messages import (
    Attachment,
    ChatRequest,
    IdFactory,
    Message,
    ToolCall,
    ToolResult,
)
from ...protocol.secrets import with_texts
from ...protocol.tools.spec import ToolOffer, ToolSpec
from .placeholders import PREFIX, Placeholders
from .readings import Alike, alike, replaced
from .unmasker import Unmasker

__all__ = ["Masking", "random_nonce"]

_NONCE = re.compile(r"[0-9A-Z]{6,32}")
_LONGEST_NAME = 24
_TEXTS = ("text/", "application/json", "application/xml", "application/yaml")
# A single character is in every other word; two can be a whole Chinese name.
_SHORTEST_VALUE = 2
# Each spelling of a value has a placeholder, so that a path is put back as it was written. Somebody
# who spells a value in every way there is gets the same one from then on.
_MOST_SPELLINGS = 256
# No placeholder has small letters, so none can form around this.
_NOT_OURS = "placeholder"

_RULE = """\
Private values in this conversation are hidden behind placeholders that look like \
PRIVATE-EMAIL-1A2B3C4D. Use a placeholder wherever the value itself would stand, in answers and in \
tool arguments, and copy it exactly, character by character: the value is put in before anybody \
reads it. Do not shorten, translate, explain or guess a placeholder, and never make one up."""


def random_nonce() -> str:
    """What sets the placeholders of one session apart from all others."""
    return secrets.token_hex(4).upper()


class Masking:
    """Hides the values of named fields, and puts them back.

    *fields* maps a name (``"email"``) to its value, or to several. The name is told to the model,
    the value never is. A conversation that goes on elsewhere needs the same :attr:`nonce` again.
    """

    def __init__(
        self, fields: Mapping[str, str | Sequence[str]], *, nonce: IdFactory = random_nonce
    ) -> None:
        self.nonce = _checked_nonce(nonce())
        self._fields = tuple(fields)
        values = self._placed(fields)
        # Placeholders by what they stand for, as it is spelled.
        self._spellings = {value: placeholder for placeholder, value in values.items()}
        self._alike: dict[Alike, str] = {}
        for value, placeholder in self._spellings.items():
            self._alike.setdefault(alike(value), placeholder)
        self._wanted = sorted(self._alike, key=lambda each: len(each.folded), reverse=True)
        self._placeholders = Placeholders(values)

    def __repr__(self) -> str:
        return f"Masking({', '.join(self._fields)})"

    @property
    def rule(self) -> str:
        """What the system prompt must say about placeholders; the same in every session."""
        return _RULE if self._placeholders.values else ""

    def mask(self, messages: Sequence[Message]) -> list[Message]:
        """*messages* without the private values, also where their calls and results are values."""
        return [self._masked(message) for message in messages]

    def mask_text(self, text: str) -> str:
        """*text* with each value hidden, also where it stands JSON-, HTML- or URL-escaped.

        In capitals or small letters, broken over lines or held together by no-break spaces, it is
        the same value, with a placeholder for that spelling. A placeholder that already stands in
        *text* is not ours, and ceases to be one.
        """
        return self._hidden(text, _NOT_OURS)

    def mask_request(self, request: ChatRequest, masked: Sequence[Message]) -> ChatRequest:
        """*request* with nothing private in it; the messages *masked* are known to have nothing.

        The tools of its offer are masked as the text of a prompt is.
        """
        known = set(map(id, masked))
        said = [each if id(each) in known else self._again(each) for each in request.messages]
        return replace(
            request,
            messages=tuple(said),
            params=with_texts(request.params, self._kept_hidden),
            stop=tuple(map(self._kept_hidden, request.stop)),
            offer=request.offer and self._masked_offer(request.offer),
        )

    def hides(self, text: str) -> bool:
        """Whether there is something private in *text*."""
        return self._kept_hidden(text) != text

    def unmask_text(self, text: str) -> str:
        """*text* with each placeholder's value."""
        return self._placeholders.fill(text)

    def unmasker(self) -> Unmasker:
        """A fresh reader of one reply's events."""
        return Unmasker(self._placeholders)

    def _masked(self, message: Message) -> Message:
        # A call that could not be read stays in the conversation as the model wrote it: nobody
        # else can have put a placeholder there.
        return (
            self._again(message) if message.role == "assistant" else self._with(message, _NOT_OURS)
        )

    def _again(self, message: Message) -> Message:
        return self._with(message, None)

    def _with(self, message: Message, ours: str | None) -> Message:
        content = self._hidden(message.content, ours)
        reasoning = self._hidden(message.reasoning, ours)
        masked = replace(
            message,
            content=content,
            reasoning=reasoning,
            attachments=tuple(map(self._attached, message.attachments)),
            calls=tuple(map(self._called, message.calls)),
            results=tuple(self._result(each, ours) for each in message.results),
        )
        return message if masked == message else masked

    def _called(self, call: ToolCall) -> ToolCall:
        """*call*, where it is a value: what the model wrote has its placeholders from us."""
        return replace(call, arguments=with_texts(call.arguments, self._kept_hidden), raw="")

    def _result(self, result: ToolResult, ours: str | None) -> ToolResult:
        attachments = tuple(
            self._attached(each) if isinstance(each, Attachment) else each
            for each in result.attachments
        )
        return replace(
            result,
            call=self._called(result.call),
            content=self._hidden(result.content, ours),
            attachments=attachments,
        )

    def _masked_offer(self, offer: ToolOffer) -> ToolOffer:
        return replace(offer, tools=tuple(map(self._masked_tool, offer.tools)))

    def _masked_tool(self, tool: ToolSpec) -> ToolSpec:
        parameters = with_texts(tool.parameters, self.mask_text)
        return replace(tool, description=self.mask_text(tool.description), parameters=parameters)

    def _attached(self, attachment: Attachment) -> Attachment:
        """*attachment* without private values, as far as it is text; pictures are what they are."""
        hidden = self._kept_hidden
        data = attachment.data
        if data and attachment.media_type.startswith(_TEXTS):
            with suppress(ValueError):
                text = b64decode(data, validate=True).decode()
                data = data if hidden(text) == text else b64encode(hidden(text).encode()).decode()
        url, name = hidden(attachment.url), hidden(attachment.name)
        return replace(attachment, data=data, url=url, name=name)

    def _kept_hidden(self, text: str) -> str:
        return self._hidden(text, None)

    def _hidden(self, text: str, ours: str | None) -> str:
        """*text* with placeholders for values, and *ours* for placeholders, unless they stay."""
        known = self._placeholders.values
        return replaced(text, [(each, ours or each) for each in known], self._wanted, self._instead)

    def _instead(self, wanted: Alike, spelling: str) -> str:
        """The placeholder of a value, for how it is spelled."""
        if spelling not in self._spellings and len(self._spellings) < (
            len(self._wanted) + _MOST_SPELLINGS
        ):
            field = self._alike[wanted].removeprefix(PREFIX).partition("-")[0]
            known = dict(self._placeholders.values)
            placeholder = next(each for each in self._names(field) if each not in known)
            self._spellings[spelling] = placeholder
            self._placeholders = Placeholders({**known, placeholder: spelling})
        return self._spellings.get(spelling, self._alike[wanted])

    def _placed(self, fields: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
        """Each value once, by its placeholder."""
        placed: dict[str, str] = {}
        for field, value in _each_value(fields):
            if value not in placed.values():
                placed[next(each for each in self._names(field) if each not in placed)] = value
        return placed

    def _names(self, field: str) -> Iterator[str]:
        """``PRIVATE-EMAIL-…``, ``PRIVATE-EMAIL2-…`` and so on."""
        name = re.sub(r"[^0-9A-Z]", "", field.upper())[:_LONGEST_NAME] or "VALUE"
        yield f"{PREFIX}{name}-{self.nonce}"
        yield from (f"{PREFIX}{name}{number}-{self.nonce}" for number in count(2))


def _checked_nonce(nonce: str) -> str:
    if not _NONCE.fullmatch(nonce):
        raise UsageError(f"the nonce is {nonce!r}; use 6 to 32 of the characters 0-9 and A-Z")
    return nonce


def _each_value(fields: Mapping[str, str | Sequence[str]]) -> Iterator[tuple[str, str]]:
    for field, values in fields.items():
        for value in [values] if isinstance(values, str) else values:
            # As it is compared: of a value nobody sees nothing would be left to look for.
            if len(alike(value).folded) < _SHORTEST_VALUE:
                # The value itself is not for error messages.
                raise UsageError(
                    f"a value of {field!r} is too short to be told apart from other text; "
                    f"use text of {_SHORTEST_VALUE} characters or more"
                )
            yield field, value
