"""A model of a few layers, made out of one that has many.

Most tests here are about how a model is asked, held and stopped, and not about what it says. Two
layers of thirty have the same words, template and file format, and read a prompt ten times faster.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from pathlib import Path

#: Bytes of a value, by the number of its type; texts and lists say their size themselves.
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_TEXT, _LIST = 8, 9
_ALIGNED = 32


class _Header:
    """Goes through what stands before the weights."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self, form: str) -> int:
        [value] = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(form)
        return int(value)

    def text(self) -> str:
        size = self.number("Q")
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def skip(self, kind: int, times: int = 1) -> None:
        if kind in _SIZES:
            self.at += _SIZES[kind] * times
            return
        for _ in range(times):
            if kind == _TEXT:
                self.text()
            else:
                assert kind == _LIST
                self.skip(self.number("I"), self.number("Q"))


def shortened(model: Path, layers: int, to: Path) -> Path:
    """*to*, which is now *model* with only its first *layers*."""
    data = model.read_bytes()
    header = _Header(data)
    assert data[:4] == b"GGUF"
    header.skip(4, 2)  # the magic, and the version
    tensors, settings = header.number("Q"), header.number("Q")
    said = bytearray()
    for _ in range(settings):
        begin, name, kind = header.at, header.text(), header.number("I")
        value = header.at
        header.skip(kind)
        said += data[begin : header.at]
        if name.endswith(".block_count"):
            said[value - header.at :] = struct.pack("<I", layers)
    listed = sorted(_tensor(header) for _ in range(tensors))
    weights = _aligned(header.at)
    ends = [offset for offset, _, _ in listed[1:]] + [len(data) - weights]
    entries, kept = [], bytearray()
    for (offset, name, entry), end in zip(listed, ends, strict=True):
        if _layer(name) < layers:
            entries.append(entry + struct.pack("<Q", len(kept)))
            kept += data[weights + offset : weights + end]
            kept += bytes(_aligned(len(kept)) - len(kept))
    head = data[:8] + struct.pack("<QQ", len(entries), settings) + said + b"".join(entries)
    to.write_bytes(head + bytes(_aligned(len(head)) - len(head)) + kept)
    return to


def _tensor(header: _Header) -> tuple[int, str, bytes]:
    """Where its weights begin, its name, and its entry in the list but for where they begin."""
    begin, name = header.at, header.text()
    header.skip(10, header.number("I"))  # its shape
    header.skip(4)  # how its numbers are written
    entry = header.data[begin : header.at]
    return header.number("Q"), name, entry


def _layer(name: str) -> int:
    """``blk.7.attn_q.weight`` is of layer 7; what all layers share is kept in any case."""
    kind, number, *_ = name.split(".")
    return int(number) if kind == "blk" else -1


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
