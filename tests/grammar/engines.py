"""The engines that renderings are for, as judges: none of them needs a model.

Each gives a function from a grammar's text to one that says whether a reply is accepted; making it
raises ValueError for a grammar that the engine refuses. An engine that is not installed skips.
"""

from __future__ import annotations

import ctypes
import glob
import importlib.util
import json
import os
from collections.abc import Callable
from typing import Any

import pytest

Accepts = Callable[[str], bool]


def llguidance(lark: str) -> Accepts:
    """The engine of Lark, with the 256 bytes for tokens."""
    pytest.importorskip("llguidance")
    from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

    class Bytes:
        eos_token_id = 256
        bos_token_id = None
        tokens = (*(bytes([each]) for each in range(256)), b"<|eos|>")
        special_token_ids = (256,)

        def __call__(self, text: Any) -> list[int]:
            return list(text if isinstance(text, bytes) else text.encode())

    tokenizer = LLTokenizer(TokenizerWrapper(Bytes()), slices=[])

    def matcher() -> Any:
        made = LLMatcher(tokenizer, lark)
        if made.is_error():
            raise ValueError(made.get_error())
        return made

    def accepts(text: str) -> bool:
        walk, said = matcher(), list(text.encode())
        return bool(walk.try_consume_tokens(said) == len(said) and walk.is_accepting())

    matcher()
    return accepts


class _LlamaGrammar:
    """llama.cpp's own engine, found in xllamacpp's library by its C++ names."""

    _library: Any = None

    def __init__(self, gbnf: str) -> None:
        self._lib = self._opened()
        self._made = self._lib.init(None, gbnf.encode(), b"root", False, None, 0, None, 0)
        if not self._made:
            raise ValueError("llama.cpp refuses the grammar")

    @classmethod
    def _opened(cls) -> Any:
        if cls._library is None:
            spec = importlib.util.find_spec("xllamacpp")
            if spec is None or spec.origin is None:
                pytest.skip("xllamacpp is not installed")
            cls._library = _symbols(glob.glob(os.path.join(os.path.dirname(spec.origin), "*.so")))
        return cls._library

    def step(self, character: str) -> tuple[bool, bool]:
        """Whether the text may go on behind *character*, and whether it may end there."""
        self._lib.accept(self._made, ord(character))
        return self.state()

    def state(self) -> tuple[bool, bool]:
        begin, end, _ = self._lib.stacks(self._made).contents
        count = ((end or 0) - (begin or 0)) // 24
        rows = (ctypes.c_void_p * (3 * count)).from_address(begin) if count else []
        over = any((rows[3 * at] or 0) == (rows[3 * at + 1] or 0) for at in range(count))
        return count > 0, over

    def __del__(self) -> None:
        if getattr(self, "_made", None):
            self._lib.free(self._made)


class _Symbols:
    pass


def _symbols(libraries: list[str]) -> Any:
    found: Any = _Symbols()
    try:
        library = ctypes.CDLL(libraries[0])
        found.init = library["_Z23llama_grammar_init_implPK11llama_vocabPKcS3_bPS3_mPKim"]
        found.accept = library["_Z20llama_grammar_acceptP13llama_grammarj"]
        found.stacks = library["_Z24llama_grammar_get_stacksP13llama_grammar"]
        found.free = library["_Z23llama_grammar_free_implP13llama_grammar"]
    except (AttributeError, IndexError, OSError):
        pytest.skip("this build of xllamacpp does not show its grammar engine")
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    found.init.argtypes = [pointer, text, text, ctypes.c_bool, pointer, size, pointer, size]
    found.init.restype = pointer
    found.accept.argtypes, found.accept.restype = [pointer, ctypes.c_uint32], None
    found.stacks.argtypes = [pointer]
    found.stacks.restype = ctypes.POINTER(ctypes.c_void_p * 3)
    found.free.argtypes, found.free.restype = [pointer], None
    return found


def llama_cpp(gbnf: str) -> Accepts:
    """The engine of GBNF."""
    _LlamaGrammar(gbnf)

    def accepts(text: str) -> bool:
        walk = _LlamaGrammar(gbnf)
        for character in text:
            if not walk.step(character)[0]:
                return False
        return walk.state()[1]

    return accepts


def _xgrammar() -> Any:
    return pytest.importorskip("xgrammar")


def _xgrammar_judge(made: Any) -> Accepts:
    from xgrammar.testing import _is_grammar_accept_string

    return lambda text: bool(_is_grammar_accept_string(made, text))


def xgrammar(ebnf: str) -> Accepts:
    """The engine of EBNF."""
    try:
        return _xgrammar_judge(_xgrammar().Grammar.from_ebnf(ebnf))
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def xgrammar_tag(tag: dict[str, Any]) -> Accepts:
    """The engine of structural tags."""
    try:
        return _xgrammar_judge(_xgrammar().Grammar.from_structural_tag(tag))
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def llguidance_schema(schema: dict[str, Any]) -> Accepts:
    """An engine of JSON Schema."""
    pytest.importorskip("llguidance")
    from llguidance import LLMatcher

    options = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    return llguidance(LLMatcher.grammar_from_json_schema(json.dumps(schema), overrides=options))
