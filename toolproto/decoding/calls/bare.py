"""Does a call that stands without a marker begin here, and how is it read?

It may begin with a bracket (a JSON object or list, a list of Python calls) or, at the start of a
line, with the tool's name. A paradigm may ask for that; from any other it is a departure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...messages import Repair
from ..families.json_calls import JsonCalls
from ..families.python_calls import PythonCalls
from ..families.python_names import leading_call
from ..patterns import Pattern
from ..reply.attempts import Body
from ..reply.forms import Family, ReplyForm
from ..reply.markers import MORE, NO
from .names import MORE_KEY, Head, leading_key
from .offered import NOTHING
from .record import CallSetting

__all__ = ["NAME_LINE", "BareCall", "BareCalls"]

_NAME_BEGUN = re.compile(r"[^\W\d](?:[\w.:/-]|\\{1,2}_){0,127}+")
#: A name that has a line to itself, its arguments on the next.
NAME_LINE = Pattern(r"([A-Za-z_][\w.-]{0,127})[ \t]{0,8}\r?\n\s{0,8}(?=\{)")


class BareCall(NamedTuple):
    """What reads the call, the text before it that belongs to it, and whether it is a guess."""

    body: Body
    lead: str = ""
    is_guess: bool = False


class BareCalls:
    """Finds the bare calls that *form* allows."""

    def __init__(self, form: ReplyForm, setting: CallSetting) -> None:
        self._form = form
        self._setting = setting
        self._keys = form.shape.leading_keys if form.bare_json else frozenset()
        self.in_python = form.bare_python
        self.by_name = form.bare_by_name

    def may_name(self, begun: str) -> bool:
        """May *begun*, at the beginning of a line, be that of the name of a call?"""
        return self.by_name and self._setting.offered.may_know(begun)

    def at_name(self, text: str, at: int, final: bool) -> BareCall | int:
        """The call that begins with its name at *at*, or NO, or MORE."""
        begun = _NAME_BEGUN.match(text, at)
        if begun is None or not self._setting.offered.may_know(begun.group()):
            return NO  # most lines begin with another word
        name = leading_call(text, at, final, self._setting.offered)
        if name == MORE_KEY:
            return MORE
        if name and self.in_python:
            return self._python(asked=False)
        return self._named_json(text, at, final)

    def at_bracket(self, text: str, at: int, final: bool, *, apart: bool) -> BareCall | int:
        """The call that begins with the bracket at *at*, or NO, or MORE.

        *apart* says that something new may begin here; amid a sentence only what was asked for,
        or what nobody writes for another reason, is a call.
        """
        key = leading_key(text, at, final)
        asked = self._form.asked
        call = self._python_list(text, at, final) if apart or asked is Family.PYTHON else ""
        apart = apart or asked is Family.JSON
        if MORE_KEY in (key, call):
            return MORE
        if call:
            return self._python(asked=self._form.asked is Family.PYTHON)
        if key and (key == self._form.shape.wrapper or (apart and key in self._keys)):
            return self._json()
        return NO

    def in_fence(self, text: str, at: int, final: bool) -> BareCall | int:
        """The call that begins at *at* in a fence that held nothing else; or NO, or MORE."""
        if text[at] in "{[":
            return self.at_bracket(text, at, final, apart=True)
        return self.at_name(text, at, final) if self.by_name else NO

    def _python_list(self, text: str, at: int, final: bool) -> str:
        """The name of the first call in a list that begins at *at*."""
        if text[at] != "[" or not self.in_python:
            return ""
        name = leading_call(text, at, final, self._setting.offered)
        if name or self._form.asked is not Family.PYTHON:
            return name
        return leading_call(text, at, final, NOTHING)

    def _python(self, *, asked: bool) -> BareCall:
        drift = self._drift(Family.PYTHON)
        return BareCall(PythonCalls(self._setting, marked=asked, drift=drift), "", bool(drift))

    def _json(self) -> BareCall:
        drift = self._drift(Family.JSON)
        return BareCall(JsonCalls(self._setting, marked=False, drift=drift), "", bool(drift))

    def _named_json(self, text: str, at: int, final: bool) -> BareCall | int:
        """A name on a line of its own, its arguments on the next."""
        if Family.NAMED_JSON not in self._form.bare:
            return NO
        offered, named = self._setting.offered, NAME_LINE.match(text, at)
        if named is None or not offered.any or not offered.knows(named.group(1)):
            return MORE if not final and NAME_LINE.may_change(text, at) else NO
        head, drift = Head(named.group(1), "", named.end()), self._drift(Family.NAMED_JSON)
        lead = named.group()
        calls = JsonCalls(self._setting, marked=True, drift=drift, head=head, lead=lead)
        return BareCall(calls, lead)

    def _drift(self, family: Family) -> tuple[Repair, ...]:
        """How a bare call of *family* departs from the asked form."""
        return () if family is self._form.asked else self._form.drift
