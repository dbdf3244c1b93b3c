"""A call written in tags: an element for the call, one for each argument.

Five ways to say which tool and which argument are in use (``<function=f>``, ``<invoke name="f">``,
``<name>f</name>``, the tool's name as the tag, the name as plain text before the arguments), and as
many for an argument. A model that was asked for one writes another often enough; so all are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from io import StringIO

from ..messages import CallProblem, Grade, ProblemKind, Repair, Span
from .call_draft import CallSetting
from .heads import Head, read_head
from .json_calls import JsonCalls
from .scanner import MORE, NO, Marker
from .spoken_call import SpokenCall
from .string_feed import StreamedString
from .tagged_value import TaggedValue, tell_argument
from .tags import Tag, closing, tag_at

__all__ = ["TaggedCalls", "closes_list", "opens_call"]

_CALLS = frozenset({"function", "invoke", "call", "function_call", "tool_call", "tool", "tool_use"})
_NAMES = frozenset({"name", "tool_name", "function_name"})
_ARGUMENTS = frozenset({"parameter", "param", "arg", "argument"})
_AROUND = frozenset(
    {"arguments", "parameters", "args", "params", "input", "function_calls", "tool_calls", "calls"}
)
_NAME_ATTRIBUTES = ("name", "tool", "tool_name", "function")
_KEY_ATTRIBUTES = ("name", "key")
_SPACE = re.compile(r"\s+")
_STRAY = re.compile(r"[^<{\]]+|.", re.DOTALL)
_VALUE_STOP = re.compile(r"<|\](?=<|\Z)")
_CLOSER_BEGUN = re.compile(
    r"<(?:[|｜][^<>]{0,12}(?:>[\w.-]{0,64}(?:<[^<>]{0,6})?)?|\s{0,3}(?:[/\\][^<>\n]{0,80})?)\Z"
    r"|\](?:<(?:\](?:m[a-z]{0,6}(?:\[(?:>(?:\[(?:<[/\\]?[^<>\n]{0,80})?)?)?)?)?)?)?\Z"
)
_BEHIND_CALL = re.compile(r"\s{0,80}")
_LONGEST_WORD = 128


def opens_call(tag: Tag) -> bool:
    """Does *tag* begin a call, by itself or with its name to come?"""
    return not tag.closes and tag.word.lower() in _CALLS | _AROUND | _NAMES


def closes_list(tag: Tag) -> bool:
    """Does *tag* close what stands around several calls?"""
    return tag.closes and tag.word.lower() in _AROUND


class TaggedCalls:
    """Reads one call. See :class:`~toolproto.decoding.json_calls.JsonCalls` for the members.

    *head* is its name if that stood before the tags, *lead* the text of it, and *start* where in
    the reply the whole begins.
    """

    def __init__(
        self,
        setting: CallSetting,
        *,
        start: int,
        lead: str = "",
        head: Head | None = None,
        drift: tuple[Repair, ...] = (),
        ends: Sequence[Marker] = (),
    ) -> None:
        self._setting = setting
        self._start = start
        self._raw = StringIO()  # until there is a call to take it
        self._raw.write(lead)
        self._name = head.name if head else ""
        self._id = head.id if head else ""
        self._drift = drift
        self._ends = ends
        self._element = ""
        self._call: SpokenCall | None = None
        self._json: JsonCalls | None = None
        self._value: TaggedValue | None = None
        self._key = self._type = ""
        self._word: tuple[re.Pattern[str], Callable[[str], None]] | None = None
        self._ending = False  # with the tag being read
        self.done = False
        self.committed = bool(self._name)
        self.refused = False
        self.interrupted = False

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        if final and self._setting.outbox.cut:
            at = self.feed(text, at, base, False)
            if self._is_open:  # what is left waits for what will not come
                self._write(text[at:])
                self._reject(ProblemKind.TRUNCATED, "it is cut short")
                return len(text)
        while at < len(text) and not self.done:
            stop = self._step(text, at, base, final)
            if stop == at:
                break
            if self._json is None:
                self._write(text[at:stop])
            if self._ending:
                self._complete()
            at = stop
            if self._json is not None and self._json.pushback:
                break  # what lies behind is only read after that
        return at

    def take_pushback(self) -> str:
        """Text behind the end of a broken call, if its arguments were JSON."""
        return self._json.take_pushback() if self._json is not None else ""

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        if self._json is not None:
            return self._json.streaming
        return self._value.streaming if self._value is not None else None

    def finish(self, reason: str | None) -> None:
        """The reply is over inside the call."""
        if self._json is not None:
            if not self._json.done:
                self._json.finish(reason)
            self.done = self._json.done  # and its call told, whatever closes the element
            return
        inside = self._value is not None or self._word is not None
        if reason == "length" or (inside and not self.done):
            self._reject(ProblemKind.TRUNCATED, "it is cut short")
        elif not self.done:
            self._complete(Repair("missing_closer"))

    @property
    def _is_open(self) -> bool:
        """Is it certain that this is a call, and is it not over?"""
        begun = bool(self._name) or self._word is not None
        return begun and self._json is None and not self.done

    # -- one step -------------------------------------------------------------------------

    def _step(self, text: str, at: int, base: int, final: bool) -> int:
        if self._json is not None:
            return self._in_json(text, at, base, final)
        if self._value is not None:
            return self._in_value(self._value, text, at, final)
        if self._word is not None:
            return self._in_word(text, at, final)
        return self._between(text, at, base, final)

    def _between(self, text: str, at: int, base: int, final: bool) -> int:
        space = _SPACE.match(text, at)
        if space:
            return space.end()
        found = [marker.at(text, at, final) for marker in self._ends]
        if any(end >= 0 for end in found):
            self._complete()
            return at
        tag = tag_at(text, at, final)
        if MORE in found or tag == MORE:
            return at
        if isinstance(tag, Tag):
            return self._at_tag(tag, at)
        if text[at] == "{" and self._call is None and (self._name or self._element):
            self._open_json()
            return self._in_json(text, at, base, final)
        if not self._name:
            return self._at_plain_name(text, at, final)
        self._drifted(Repair("stray_text", Grade.GUESSED))
        stray = _STRAY.match(text, at)
        assert stray is not None, "matches any character"
        return stray.end()

    def _at_plain_name(self, text: str, at: int, final: bool) -> int:
        """Where the name may stand as it is, behind the tag of the call."""
        head = read_head(text, at, final) if self._element else NO
        if head == MORE:
            return at
        if not isinstance(head, Head) or text[head.end : head.end + 1] not in ("{", "<"):
            self.refused = self.done = True
            return at
        self._named(head.name)
        return head.end

    def _at_tag(self, tag: Tag, at: int) -> int:
        if tag.closes:
            return self._at_closing(tag)
        if not self._name:
            return self._at_name(tag, at)
        return self._at_argument(tag, at)

    def _at_closing(self, tag: Tag) -> int:
        word = tag.word.lower()
        if word == self._element.lower() or (word in _CALLS and not self._element):
            self._ending = True
        elif word in _ARGUMENTS or word == "arg_value":
            # What was taken for the end of the value before may have been a part of it.
            self._drifted(Repair("extra_closer", Grade.GUESSED))
        return tag.end

    def _at_name(self, tag: Tag, at: int) -> int:
        word = tag.word.lower()
        if word in _NAMES:
            self._read_word(tag.word, self._named)
        elif word in _CALLS:
            self._element = tag.word
            name = tag.value or _attribute(tag, _NAME_ATTRIBUTES)
            if name:
                self._named(name)
        elif word not in _AROUND:
            if not self._setting.offered.any or not self._setting.offered.knows(tag.word):
                self.refused = self.done = True
                return at
            self._element = tag.word
            self._named(tag.word)
        return tag.end

    def _at_argument(self, tag: Tag, at: int) -> int:
        word, tool = tag.word.lower(), self._setting.offered.get(self._name)
        own = tool is not None and tag.word in tool.properties
        if word in _ARGUMENTS and (key := tag.value or _attribute(tag, _KEY_ATTRIBUTES)):
            if tag.empty:
                tell_argument(self._started(), key, tag.attributes.get("value", ""), _told(tag))
            else:
                self._open_value(key, tag.word, _told(tag))
        elif word == "arg_key":
            self._read_word(tag.word, self._keyed)
        elif word == "arg_type":
            self._read_word(tag.word, self._typed)
        elif word == "arg_value":
            if not self._key:
                self._started().spoil("an argument in it has no name")
            self._open_value(self._key, tag.word, self._type)
            self._key = self._type = ""
        elif word in _CALLS and not own:
            self._complete(Repair("missing_closer"))
            return at
        elif word not in _AROUND or own:
            self._open_value(tag.word, tag.word, _told(tag))
        return tag.end

    # -- words and values -----------------------------------------------------------------

    def _read_word(self, element: str, then: Callable[[str], None]) -> None:
        self._word = (closing(element), then)

    def _in_word(self, text: str, at: int, final: bool) -> int:
        assert self._word is not None, "a word is being read"
        closer, then = self._word
        stop = _VALUE_STOP.search(text, at)
        if stop is None or stop.start() - at > _LONGEST_WORD * 2:
            if not final and len(text) - at <= _LONGEST_WORD * 2:
                return at
            self._reject(ProblemKind.MALFORMED, "a name in it has no end")
            return len(text) if stop is None else stop.start()
        found, end = closer.match(text, stop.start()), stop.start()
        if found is None and not final and _CLOSER_BEGUN.match(text, end):
            return at
        if found is None and text[end + 1 : end + 2] in ("/", "\\"):
            self._reject(ProblemKind.MALFORMED, "a name in it has no end")
            return end
        if found is None:
            self._drifted(Repair("missing_closer", Grade.GUESSED))
        self._word = None
        then(text[at:end].strip())
        return found.end() if found else end

    def _named(self, name: str) -> None:
        self._name = name[:_LONGEST_WORD].removeprefix("functions.").replace("\\_", "_")
        if self._setting.gated and not self._setting.offered.knows(self._name):
            self.refused = self.done = True
            return
        self.committed = True

    def _keyed(self, key: str) -> None:
        self._key = key

    def _typed(self, told: str) -> None:
        self._type = told

    def _open_value(self, key: str, element: str, told: str) -> None:
        self._value = TaggedValue(self._started(), key, closing(element), told)

    def _in_value(self, value: TaggedValue, text: str, at: int, final: bool) -> int:
        if not value.begun:
            stop = value.begin(text, at, final)
            if stop > at or not value.begun:
                return stop
        found = _VALUE_STOP.search(text, at)
        stop = found.start() if found else len(text)
        if stop > at:
            value.more(text[at:stop])
            return stop
        end = self._value_end(value, text, at, final)
        if end == NO:
            value.more(text[at])
            return at + 1
        if end != MORE:
            value.close()
            self._value = None
            return end
        return at

    def _value_end(self, value: TaggedValue, text: str, at: int, final: bool) -> int:
        """Where the tag at *at* ends that closes the value, or NO, or MORE."""
        found = value.closer.match(text, at) if value.closable else None
        if found:
            return found.end()
        if not final and _CLOSER_BEGUN.match(text, at):
            return MORE
        end = self._call_end(text, at, final)
        if end >= 0:
            self._drifted(Repair("missing_closer", Grade.GUESSED))
            value.unclosed = True
            return at
        return end

    def _call_end(self, text: str, at: int, final: bool) -> int:
        """Where the tag ends that closes the whole call although a value is open.

        It does if nothing comes behind it, or what closes the marker around the call.
        """
        tag = tag_at(text, at, final)
        if not isinstance(tag, Tag) or not tag.closes or not self._closes_call(tag):
            return NO
        behind = _BEHIND_CALL.match(text, tag.end)
        assert behind is not None, "matches the empty string"
        if behind.end() == len(text):
            return tag.end if final else MORE
        found = [marker.at(text, behind.end(), final) for marker in self._ends]
        if any(end >= 0 for end in found):
            return tag.end
        return MORE if MORE in found else NO

    def _closes_call(self, tag: Tag) -> bool:
        return tag.word.lower() == (self._element or "tool_call").lower()

    # -- arguments as JSON ----------------------------------------------------------------

    def _open_json(self) -> None:
        lead = self._raw.getvalue()
        self._json = JsonCalls(
            self._setting,
            marked=not self._setting.gated,
            drift=self._drift,
            ends=(*self._ends, *((Marker(f"</{self._element}>"),) if self._element else ())),
            head=Head(self._name, self._id, 0) if self._name else None,
            lead=lead,
        )

    def _in_json(self, text: str, at: int, base: int, final: bool) -> int:
        json = self._json
        assert json is not None, "opened before"
        if json.done:
            return self._behind_json(text, at, final)
        stop = json.feed(text, at, base, final)
        self._take_json(json)
        return stop

    def _take_json(self, json: JsonCalls) -> None:
        if json.interrupted:
            json.finish(None)
        self.done = json.done and not self._element

    def _behind_json(self, text: str, at: int, final: bool) -> int:
        """Behind the arguments: what closes the call's own element."""
        space = _SPACE.match(text, at)
        if space:
            return space.end()
        if at == len(text):
            return at
        tag = tag_at(text, at, final)
        if not isinstance(tag, Tag):
            self.done = tag == NO
            return at
        if closes_list(tag):
            return tag.end
        self.done = True
        return tag.end if tag.closes and self._closes_call(tag) else at

    # -- the call -------------------------------------------------------------------------

    def _started(self) -> SpokenCall:
        if self._call is None:
            self._call = SpokenCall(
                self._setting, self._start, self._name, id=self._id, drift=self._drift
            )
            self._call.write(self._raw.getvalue())
        return self._call

    def _write(self, text: str) -> None:
        if self._call is None:
            self._raw.write(text)
        elif not self.done:
            self._call.write(text)

    def _drifted(self, repair: Repair) -> None:
        if repair not in self._drift:  # else once for each piece of text
            self._drift = (*self._drift, repair)
        if self._call is not None:
            self._call.mended(repair)

    def _complete(self, *repairs: Repair) -> None:
        self.done = True
        if not self._name:
            self._reject(ProblemKind.MALFORMED, "it does not say which tool")
            return
        if self._key:
            self._drifted(Repair("missing_value", Grade.GUESSED))
        self._started().complete(*repairs)

    def _reject(self, kind: ProblemKind, message: str) -> None:
        self.done = self.committed = True
        if self._name:
            self._started().reject(kind, message)
            return
        raw = self._raw.getvalue()
        span = Span(self._start, self._start + len(raw))
        self._setting.outbox.rejected(None, CallProblem(kind, message, raw, span))


def _attribute(tag: Tag, names: Sequence[str]) -> str:
    return next((tag.attributes[name] for name in names if tag.attributes.get(name)), "")


def _told(tag: Tag) -> str:
    """The type that a tag gives to its argument."""
    if "string" in tag.attributes:
        return "string" if tag.attributes["string"].lower() == "true" else "json"
    return tag.attributes.get("type", "")
