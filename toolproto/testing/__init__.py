"""What a paradigm's author tests with.

The laws are functions that need no test framework; ``ParadigmLaws`` and ``broken_laws`` draw the
cases with Hypothesis, which is imported when one of them is asked for.
"""

import typing
from importlib import import_module

if typing.TYPE_CHECKING:
    from .cutting import chunkings
    from .fixtures import Fixture, load_fixture, load_fixtures, write_fixture
    from .laws import LAWS, LawBroken
    from .offers import STANDARD_OFFER
    from .paradigm_laws import ParadigmLaws, broken_laws
    from .places import CONTEXTS, CallContext

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


#: Imported when they are first asked for: pytest loads the plugin, which is beside them.
_LATER = {
    "CONTEXTS": ".places",
    "CallContext": ".places",
    "Fixture": ".fixtures",
    "LAWS": ".laws",
    "LawBroken": ".laws",
    "STANDARD_OFFER": ".offers",
    "chunkings": ".cutting",
    "load_fixture": ".fixtures",
    "load_fixtures": ".fixtures",
    "write_fixture": ".fixtures",
}


def __getattr__(name: str) -> typing.Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    if name not in ("ParadigmLaws", "broken_laws"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from . import paradigm_laws
    except ImportError as error:
        from ..package import install_command
        from ..protocol.errors import UsageError

        raise UsageError(
            f"{name} draws its cases with Hypothesis: {install_command('testing')}"
        ) from error
    return getattr(paradigm_laws, name)
