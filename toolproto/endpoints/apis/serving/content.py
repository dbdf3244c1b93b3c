"""What a message holds beside text: read from any API's parts, shown to those who can see it.

A part becomes text where it can be read (a document of text, a result of a search), an
:class:`~toolproto.protocol.messages.Attachment` where it is an image or a document for models that
see, and a line that says what it is where nothing else is left. Nothing is fetched.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....protocol.messages import Attachment
from ..asked import BadRequest
from .reading import optional

__all__ = [
    "Part",
    "Sees",
    "blind",
    "document",
    "image",
    "joined_text",
    "read_part",
    "read_parts",
    "said",
    "unseen",
]

Part = str | Attachment
#: Whether a model can be shown an attachment.
Sees = Callable[[Attachment], bool]

_TEXTS = ("text", "input_text", "output_text", "summary_text")
#: What a model thought is its own; it is not told again.
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "reasoning_text")
_DATA_URL = re.compile(r"data:([\w.+/-]{0,100})((?:;[\w=.+-]{1,60}){0,4}),", re.ASCII)
#: Of what is not ``text/…``, what people read as text all the same.
_READABLE = re.compile(
    r"text/.*|application/(?:.*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-sh|sql|ld-json|"
    r"x-ndjson|typescript|x-python|graphql|x-httpd-php|rtf)"
)
_MAGIC = {"iVBOR": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}


def blind(attachment: Attachment) -> bool:
    """What a model sees that only reads text."""
    return False


def read_parts(content: Any, path: str) -> list[Part]:
    """The parts of *content*: text, or a list of whatever the API has."""
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        raise BadRequest(f"{path} must be a string or a list of parts", path)
    parts: list[Part] = []
    for at, part in enumerate(content):
        parts += [part] if isinstance(part, str) else read_part(part, f"{path}[{at}]")
    return parts


def joined_text(content: Any, path: str) -> str:
    """*content* as nothing but text."""
    return said(read_parts(content, path), blind)[0]


def said(
    parts: Sequence[Part], sees: Sees, labelled: bool = False
) -> tuple[str, tuple[Attachment, ...]]:
    """The text of *parts*, and what goes with it; *labelled* if the text is to say what does."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0], ()
    texts: list[str] = []
    seen: list[Attachment] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif sees(part):
            seen.append(part)
            texts += [f"[{part}]"] if labelled else []
        else:
            texts.append(unseen(str(part)))
    return "\n".join(texts), tuple(seen)


def unseen(what: str) -> str:
    """What is told instead of something that cannot be shown."""
    return f"[{what}, not shown to this model]"


def read_part(part: Any, path: str) -> Sequence[Part]:
    """What one part of a message holds."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(kind, str):
        raise BadRequest(f"{path} must be a part with a type", path)
    if kind in _TEXTS:
        text: str = optional(part, "text", str, f"{path}.") or ""
        return [text]
    if kind in _THOUGHTS:
        return []
    reader = _KINDS.get(kind)
    return reader(part) if reader else [unseen(re.sub(r"\W+", " ", kind)[:40])]


def _refusal(part: Mapping[str, Any]) -> Sequence[Part]:
    return [_text(part.get("refusal"))]


def _image_url(part: Mapping[str, Any]) -> Sequence[Part]:
    """``image_url`` of chats is an object with a url, that of responses the url itself."""
    given = part.get("image_url")
    url = given.get("url") if isinstance(given, Mapping) else given
    return [_located(url, "image/*", _text(part.get("file_id")))]


def _image(part: Mapping[str, Any]) -> Sequence[Part]:
    source: Any = part.get("source")
    match source:
        case {"type": "base64", "data": str(data)}:
            return [Attachment(_text(source.get("media_type")) or _sniffed(data), data)]
        case {"type": "url", "url": str(url)}:
            return [_located(url, "image/*")]
        case {"file_id": str(id)}:
            return [Attachment("image/*", url=f"file {id}")]
    return [unseen("image")]


def _file(part: Mapping[str, Any]) -> Sequence[Part]:
    """A file of OpenAI's: ``file`` in chats has its fields inside, ``input_file`` has them flat."""
    inner = part.get("file")
    fields = inner if isinstance(inner, Mapping) else part
    name, data = _text(fields.get("filename")), _text(fields.get("file_data"))
    if not data:
        url = _text(fields.get("file_url")) or f"file {_text(fields.get('file_id'))}"
        return [Attachment("application/*", url=url, name=name)]
    if found := _DATA_URL.match(data):
        return [document(found[1], data[found.end() :], name)]
    return [document("application/pdf" if name.lower().endswith(".pdf") else "", data, name)]


def _document(part: Mapping[str, Any]) -> Sequence[Part]:
    """A document of Anthropic's."""
    title, context = _text(part.get("title")), _text(part.get("context"))
    head = [f"[document: {title}]"] if title else []
    head += [context] if context else []
    source: Any = part.get("source")
    match source:
        case {"type": "text", "data": str(text)}:
            return [*head, text]
        case {"type": "content", "content": content}:
            return [*head, *read_parts(content, "source.content")]
        case {"type": "base64", "data": str(data)}:
            return [document(_text(source.get("media_type")), data, title)]
        case {"type": "url", "url": str(url)}:
            return [Attachment("application/pdf", url=url, name=title)]
        case {"file_id": str(id)}:
            return [Attachment("application/*", url=f"file {id}", name=title)]
    return [unseen(f"document: {title}" if title else "document")]


def _search_result(part: Mapping[str, Any]) -> Sequence[Part]:
    head = f"[{_text(part.get('title'))}]({_text(part.get('source'))})"
    return [head, *read_parts(part.get("content"), "content")]


def _tool_reference(part: Mapping[str, Any]) -> Sequence[Part]:
    return [f"[tool: {_text(part.get('tool_name'))}]"]


_KINDS: dict[str, Callable[[Mapping[str, Any]], Sequence[Part]]] = {
    "refusal": _refusal,
    "image_url": _image_url,
    "input_image": _image_url,
    "image": _image,
    "computer_screenshot": _image_url,
    "file": _file,
    "input_file": _file,
    "document": _document,
    "search_result": _search_result,
    "tool_reference": _tool_reference,
}


def document(media_type: str, data: str, name: str = "") -> Part:
    """A document in base64: its text, if it is one that people read as text."""
    readable = not media_type or media_type.startswith("application/octet")
    if readable or _READABLE.fullmatch(media_type):
        text = _decoded(data)
        if text is not None:
            return f"[document: {name}]\n{text}" if name else text
    return Attachment(media_type or "application/octet-stream", data, name=name)


def image(data: str) -> Attachment:
    """An image in base64, or in a data URL, that does not say what it is."""
    if found := _DATA_URL.match(data):
        return Attachment(found[1] or "image/*", data[found.end() :])
    return Attachment(_sniffed(data), data)


def _located(url: Any, media_type: str, file_id: str = "") -> Attachment:
    """What lies at *url*, which may hold it."""
    if not isinstance(url, str) or not url:
        return Attachment(media_type, url=f"file {file_id}" if file_id else "")
    if (found := _DATA_URL.match(url)) and ";base64" in found[2]:
        return Attachment(found[1] or media_type, url[found.end() :])
    return Attachment(media_type, url=url)


def _sniffed(data: str) -> str:
    return next((kind for begins, kind in _MAGIC.items() if data.startswith(begins)), "image/png")


def _decoded(data: str) -> str | None:
    """The text that *data* is in base64; None if it is no text."""
    try:
        text = base64.b64decode(data, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    return None if "\0" in text else text


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
