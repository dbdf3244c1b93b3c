"""The engines that renderings are for, as judges: none of them needs a model.

Each is made from a grammar's text, once: it says whether a reply is accepted, and draws the
beginning of one as a model would write it that knows nothing else. Making it raises ValueError for
a grammar that the engine refuses. An engine that is not installed skips.
"""

from __future__ import annotations

import ctypes
import glob
import importlib.util
import json
import os
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any, Protocol

import pytest

_END = 256  # the token that ends a reply, behind the 256 bytes
_WANTED = b"abcdefghijklmnopqrstuvwxyz0123456789 \n\"'\\<>{}[](),:/=-_"


class Engine(Protocol):
    """A grammar in an engine."""

    def __call__(self, text: str) -> bool:
        """Whether *text* is accepted."""
        ...

    def drawn(self, random: Random, length: int, begun: str = "") -> str:
        """The beginning of a reply that begins with *begun*: some *length* characters more."""
        ...


def _drawn_bytes(
    allowed: Callable[[], list[int]], take: Callable[[int], None], random: Random, length: int
) -> str:
    """Byte by byte what *allowed* allows; characters are not cut in two."""
    said = bytearray()
    while choices := allowed():
        whole = not _is_cut(said)
        if whole and (len(said) >= length or (_END in choices and random.random() < 0.1)):
            break
        # xgrammar allows half characters (surrogates); no text that a model writes holds any.
        most = 0x9F if said[-1:] == b"\xed" else 0xFF
        choices = [each for each in choices if each <= most]
        if not choices:
            break
        wanted = [each for each in choices if each in _WANTED]
        drawn = random.choice(wanted if wanted and random.random() < 0.95 else choices)
        take(drawn)
        said.append(drawn)
    return said.decode()


def _is_cut(said: bytes | bytearray) -> bool:
    try:
        said.decode()
    except UnicodeDecodeError:
        return True
    return False


def _bits(mask: bytes) -> list[int]:
    number = int.from_bytes(mask, "little")
    return [at for at in range(_END + 1) if number >> at & 1]


# -- llguidance ------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _llguidance_bytes() -> Any:
    """The 256 bytes for tokens."""
    from llguidance import LLTokenizer, TokenizerWrapper

    class Bytes:
        eos_token_id = _END
        bos_token_id = None
        tokens = (*(bytes([each]) for each in range(256)), b"<|eos|>")
        special_token_ids = (_END,)

        def __call__(self, text: Any) -> list[int]:
            return list(text if isinstance(text, bytes) else text.encode())

    return LLTokenizer(TokenizerWrapper(Bytes()), slices=[])


class llguidance:  # a function to its users
    """The engine of Lark."""

    def __init__(self, lark: str) -> None:
        pytest.importorskip("llguidance")
        from llguidance import LLMatcher

        self._made = LLMatcher(_llguidance_bytes(), lark)
        if self._made.is_error():
            raise ValueError(self._made.get_error())

    def __call__(self, text: str) -> bool:
        walk, said = self._made.deep_copy(), list(text.encode())
        return bool(walk.try_consume_tokens(said) == len(said) and walk.is_accepting())

    def drawn(self, random: Random, length: int, begun: str = "") -> str:
        walk = self._made.deep_copy()
        walk.consume_tokens(list(begun.encode()))
        return begun + _drawn_bytes(
            lambda: _bits(walk.compute_bitmask()), walk.consume_token, random, length
        )

    def ended(self, said: str, random: Random) -> str | None:
        """The JSON that begins with *said*, closed soon; None if that does not succeed."""
        walk, ending = self._made.deep_copy(), bytearray()
        walk.consume_tokens(list(said.encode()))
        while not walk.is_accepting() and len(ending) < 2000:
            choices = _bits(walk.compute_bitmask())
            if not choices:
                return None
            closing = [each for each in b'"}]:,' if each in choices]
            # That is not always enough: a pattern may want a letter, a number another digit.
            others = [each for each in choices if each < 128 and chr(each).isalnum()]
            wanted = others if others and (not closing or random.random() < 0.2) else closing
            ending.append(random.choice(others) if wanted is others else (closing or choices)[0])
            walk.consume_token(ending[-1])
        return said + ending.decode() if walk.is_accepting() else None


# -- llama.cpp -------------------------------------------------------------------------------


class _LlamaGrammar:
    """llama.cpp's own engine, found in xllamacpp's library by its C++ names."""

    _library: Any = None

    def __init__(self, gbnf: str = "", of: _LlamaGrammar | None = None) -> None:
        self._lib = self._opened()
        self._made = (
            self._lib.clone(of._made)
            if of is not None
            else self._lib.init(None, gbnf.encode(), b"root", False, None, 0, None, 0)
        )
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

    def next_sets(self) -> list[tuple[bool, list[tuple[int, int]]]]:
        """The characters that may come next, one set for each stack: ranges, and whether it is
        they or all others."""
        begin, end, _ = self._lib.stacks(self._made).contents
        count = ((end or 0) - (begin or 0)) // 24
        rows = (ctypes.c_void_p * (3 * count)).from_address(begin) if count else []
        found = []
        for at in range(count):
            first, last = rows[3 * at] or 0, rows[3 * at + 1] or 0
            if first != last:
                top = ctypes.c_void_p.from_address(last - 8).value
                assert top is not None
                found.append(_characters(top))
        return found

    def __del__(self) -> None:
        if getattr(self, "_made", None):
            self._lib.free(self._made)


# Elements of a rule, as llama.cpp numbers them.
_NOT, _UPPER, _ALSO, _ANY = 4, 5, 6, 7


def _characters(at: int) -> tuple[bool, list[tuple[int, int]]]:
    """The set of characters that is written from *at* on."""
    kind, value = _element(at)
    negated, ranges = kind == _NOT, [(value, value)]
    if kind == _ANY:
        return True, []
    while True:
        at += 8
        following, value = _element(at)
        if following == _UPPER:
            ranges[-1] = (ranges[-1][0], value)
        elif following == _ALSO:
            ranges.append((value, value))
        else:
            return negated, ranges


def _element(at: int) -> tuple[int, int]:
    both = (ctypes.c_uint32 * 2).from_address(at)
    return both[0], both[1]


class _Symbols:
    pass


def _symbols(libraries: list[str]) -> Any:
    found: Any = _Symbols()
    try:
        library = ctypes.CDLL(libraries[0])
        found.init = library["_Z23llama_grammar_init_implPK11llama_vocabPKcS3_bPS3_mPKim"]
        found.accept = library["_Z20llama_grammar_acceptP13llama_grammarj"]
        found.stacks = library["_Z24llama_grammar_get_stacksP13llama_grammar"]
        found.clone = library["_Z24llama_grammar_clone_implRK13llama_grammar"]
        found.free = library["_Z23llama_grammar_free_implP13llama_grammar"]
    except (AttributeError, IndexError, OSError):
        pytest.skip("this build of xllamacpp does not show its grammar engine")
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    found.init.argtypes = [pointer, text, text, ctypes.c_bool, pointer, size, pointer, size]
    found.init.restype = pointer
    found.accept.argtypes, found.accept.restype = [pointer, ctypes.c_uint32], None
    found.stacks.argtypes = [pointer]
    found.stacks.restype = ctypes.POINTER(ctypes.c_void_p * 3)
    found.clone.argtypes, found.clone.restype = [pointer], pointer
    found.free.argtypes, found.free.restype = [pointer], None
    return found


class llama_cpp:  # a function to its users
    """The engine of GBNF."""

    def __init__(self, gbnf: str) -> None:
        self._made = _LlamaGrammar(gbnf)

    def __call__(self, text: str) -> bool:
        walk = _LlamaGrammar(of=self._made)
        for character in text:
            if not walk.step(character)[0]:
                return False
        return walk.state()[1]

    def drawn(self, random: Random, length: int, begun: str = "") -> str:
        walk, said, over = _LlamaGrammar(of=self._made), begun, False
        for character in begun:
            walk.step(character)
        while len(said) < length + len(begun) and not (over and random.random() < 0.1):
            sets = walk.next_sets()
            if not sets:
                break
            said += _one_of(*random.choice(sets), random)
            over = walk.step(said[-1])[1]
        return said


def _one_of(negated: bool, ranges: list[tuple[int, int]], random: Random) -> str:
    def fits(point: int) -> bool:
        return any(first <= point <= last for first, last in ranges) is not negated

    wanted = [each for each in _WANTED if fits(each)]
    if wanted and (negated or random.random() < 0.95):
        return chr(random.choice(wanted))
    if negated:
        return "é"
    first, last = random.choice(ranges)
    drawn = random.randint(first, min(last, first + 200))
    return chr(drawn if not 0xD800 <= drawn <= 0xDFFF else first)


# -- xgrammar --------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _xgrammar_compiler() -> Any:
    library = pytest.importorskip("xgrammar")
    tokens = [*(bytes([each]) for each in range(256)), b"<|eos|>"]
    info = library.TokenizerInfo(tokens, stop_token_ids=[_END])
    return library.GrammarCompiler(info, max_threads=1, cache_enabled=False)


class _Xgrammar:
    def __init__(self, make: Callable[[Any], Any]) -> None:
        library = pytest.importorskip("xgrammar")
        try:
            compiled = _xgrammar_compiler().compile_grammar(make(library.Grammar))
        except RuntimeError as error:
            raise ValueError(str(error)) from error
        self._made = library.GrammarMatcher(compiled, terminate_without_stop_token=False)

    def __call__(self, text: str) -> bool:
        self._made.reset()
        return bool(self._made.accept_string(text) and self._made.is_completed())

    def drawn(self, random: Random, length: int, begun: str = "") -> str:
        numpy = pytest.importorskip("numpy")
        self._made.reset()
        self._made.accept_string(begun)
        mask = numpy.zeros((1, _END // 32 + 1), dtype=numpy.int32)

        def allowed() -> list[int]:
            mask.fill(-1)
            self._made.fill_next_token_bitmask(mask)
            return _bits(mask.tobytes())

        return begun + _drawn_bytes(allowed, self._made.accept_token, random, length)


def xgrammar(ebnf: str) -> Engine:
    """The engine of EBNF."""
    return _Xgrammar(lambda grammar: grammar.from_ebnf(ebnf))


def xgrammar_tag(tag: dict[str, Any]) -> Engine:
    """The engine of structural tags."""
    return _Xgrammar(lambda grammar: grammar.from_structural_tag(tag))


def llguidance_schema(schema: dict[str, Any]) -> llguidance:
    """An engine of JSON Schema."""
    pytest.importorskip("llguidance")
    from llguidance import LLMatcher

    options = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    return llguidance(LLMatcher.grammar_from_json_schema(json.dumps(schema), overrides=options))
