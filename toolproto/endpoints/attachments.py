"""Pictures and files that go with a message, made of bytes, a path or an address.

::

    session.send(["What is this?", image("photo.jpg")])

Bytes and files are read at once and travel in the request; an address is fetched by the service.
"""

from __future__ import annotations

import mimetypes
from base64 import b64encode
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from ..protocol.errors import UsageError
from ..protocol.messages import Attachment, ChatRequest
from .apis.serving.content import document as document_of
from .apis.serving.content import image as image_of

__all__ = ["check_attachments", "document", "image"]

#: No service takes more in one request; a slip of the hand should not read a film.
_MOST_BYTES = 50_000_000
_ADDRESSES = ("http://", "https://")


def image(source: str | PathLike[str] | bytes, *, media_type: str = "") -> Attachment:
    """A picture for models that see: its bytes, a path, or its address (``https://…``, ``data:…``).

    Its *media_type* is detected, unless it is given.
    """
    if isinstance(source, str) and source.startswith(_ADDRESSES):
        return Attachment(media_type or _guessed(source.partition("?")[0]) or "image/*", url=source)
    if isinstance(source, str) and source.startswith("data:"):
        return image_of(source)
    found = image_of(_encoded(source))
    return Attachment(media_type or found.media_type, found.data, name=_name(source))


def document(
    source: str | PathLike[str] | bytes, *, name: str = "", media_type: str = ""
) -> Attachment | str:
    """A file: its bytes, a path, or its address (``https://…``).

    A text file becomes text, which every model reads; a PDF needs a model that takes PDFs.
    """
    name = name or _name(source)
    kind = media_type or _guessed(name)
    if isinstance(source, str) and source.startswith(_ADDRESSES):
        return Attachment(kind or _guessed(source) or "application/*", url=source, name=name)
    data = _encoded(source)
    if not kind and isinstance(source, bytes) and source.startswith(b"%PDF-"):
        kind = "application/pdf"
    return document_of(kind, data, name)


def check_attachments(request: ChatRequest, refusal: Callable[[Attachment], str]) -> None:
    """Raise UsageError if there is a *refusal* of an attachment of *request*."""
    for attachment in (each for message in request.messages for each in message.attachments):
        if why := refusal(attachment):
            raise UsageError(why)


def _encoded(source: str | PathLike[str] | bytes) -> str:
    if isinstance(source, bytes | bytearray):
        content = bytes(source)
    else:
        path = Path(source)
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise UsageError(f"{str(path)!r} has more than {_MOST_BYTES:,} bytes")
            content = path.read_bytes()
        except (OSError, ValueError) as error:
            raise UsageError(f"{str(path)[:200]!r} cannot be read: {error}") from None
    if not content:
        raise UsageError("there is nothing to attach: the data is empty")
    return b64encode(content).decode("ascii")


def _name(source: str | PathLike[str] | bytes) -> str:
    if isinstance(source, bytes | bytearray):
        return ""
    return Path(source).name


def _guessed(name: str) -> str:
    return mimetypes.guess_type(name)[0] or ""
