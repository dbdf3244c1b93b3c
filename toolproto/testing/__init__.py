"""What a paradigm's author tests with.

The laws are functions that need no test framework; ``ParadigmLaws`` and ``broken_laws`` draw the
cases with Hypothesis, which is imported when one of them is asked for.
"""

import typing

from .cutting import chunkings
from .fixtures import Fixture, load_fixture, load_fixtures, write_fixture
from .laws import LAWS, LawBroken
from .offers import STANDARD_OFFER
from .places import CONTEXTS, CallContext

if typing.TYPE_CHECKING:
    from .paradigm_laws import ParadigmLaws, broken_laws

__all__ = [
    "CONTEXTS",
    "LAWS",
    "STANDARD_OFFER",
    "CallContext",
    "Fixture",
    "LawBroken",
    "ParadigmLaws",
    "broken_laws",
    "chunkings",
    "load_fixture",
    "load_fixtures",
    "write_fixture",
]


def __getattr__(name: str) -> typing.Any:
    if name not in ("ParadigmLaws", "broken_laws"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from . import paradigm_laws
    except ImportError as error:
        from ..errors import UsageError
        from ..package import install_command

        raise UsageError(
            f"{name} draws its cases with Hypothesis: {install_command('testing')}"
        ) from error
    return getattr(paradigm_laws, name)
