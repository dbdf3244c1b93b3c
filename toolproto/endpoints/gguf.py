"""The chat template in a GGUF file, read from its head without loading the model.

The head is a list of keys and values: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

from ..protocol.errors import UsageError

__all__ = ["read_chat_template"]

_MAGIC = b"GGUF"
#: How the numbers are packed, by type; 8 is text, 9 a list.
_NUMBERS = dict(zip((*range(8), 10, 11, 12), "BbHhIif?Qqd", strict=True))
_TEXT, _LIST = 8, 9
#: A head claims what it likes; real vocabularies have a quarter of a million tokens.
_MOST_KEYS, _MOST_ITEMS, _LONGEST = 100_000, 4_000_000, 16_000_000
_IDS = {"bos_token": "tokenizer.ggml.bos_token_id", "eos_token": "tokenizer.ggml.eos_token_id"}


def read_chat_template(path: Path) -> tuple[str, dict[str, str]]:
    """The template of the model in *path*, and its special tokens; UsageError for no GGUF."""
    try:
        with path.open("rb") as file:
            values = _head(file)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error}") from None
    except (struct.error, ValueError) as error:
        raise UsageError(f"{str(path)!r} is not a whole GGUF file: {error}") from None
    vocabulary = values.get("tokenizer.ggml.tokens")
    tokens = {}
    for name, key in _IDS.items():
        at = values.get(key)
        if isinstance(vocabulary, list) and type(at) is int and 0 <= at < len(vocabulary):
            tokens[name] = str(vocabulary[at])
    template = values.get("tokenizer.chat_template")
    return (template if isinstance(template, str) else ""), tokens


def _head(file: BinaryIO) -> dict[str, Any]:
    if file.read(4) != _MAGIC:
        raise ValueError("it does not begin with GGUF")
    version, _, keys = _unpack(file, "<IQQ")
    if version not in (2, 3):
        raise ValueError(f"its version is {version}")
    if keys > _MOST_KEYS:
        raise ValueError("it has too many keys")
    values: dict[str, Any] = {}
    for _ in range(keys):
        key = _text(file)
        (kind,) = _unpack(file, "<I")
        values[key] = _value(file, kind)
    return values


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind in _NUMBERS:
        return _unpack(file, f"<{_NUMBERS[kind]}")[0]
    if kind != _LIST:
        raise ValueError(f"there is no type {kind}")
    inner, length = _unpack(file, "<IQ")
    if length > _MOST_ITEMS:
        raise ValueError("a list in it is too long")
    if inner == _TEXT:
        return [_text(file) for _ in range(length)]
    if inner not in _NUMBERS:
        raise ValueError("it has lists of lists")
    return list(_unpack(file, f"<{length}{_NUMBERS[inner]}"))


def _text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "<Q")
    if length > _LONGEST:
        raise ValueError("a text in it is too long")
    return _read(file, length).decode("utf-8", "replace")


def _unpack(file: BinaryIO, form: str) -> tuple[Any, ...]:
    return struct.unpack(form, _read(file, struct.calcsize(form)))


def _read(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise ValueError("it ends too early")
    return data
