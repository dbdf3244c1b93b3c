"""Grammars of replies, for services that can hold a model to one.

``ir`` is the one grammar that all renderings are made from; ``replies`` makes it out of how a
paradigm writes calls and what an offer allows, with ``values`` for the schemas of arguments and
``notation``, ``raw`` and ``forms`` for the ways of writing them; ``answers`` makes that of an
answer in JSON. ``accepting`` and ``sampling`` walk through it without any engine. Each rendering is
a module of its own.
"""

from __future__ import annotations

from .accepting import Departure, GrammarWalk, departure
from .ir import Grammar, LeftOut
from .renderings import RENDERINGS, Rendering, render
from .sampling import sample_reply

__all__ = [
    "RENDERINGS",
    "Departure",
    "Grammar",
    "GrammarWalk",
    "LeftOut",
    "Rendering",
    "departure",
    "render",
    "sample_reply",
]
