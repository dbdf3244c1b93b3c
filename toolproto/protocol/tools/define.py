"""A tool: what the model is told about it, the function behind it, and how careful to be.

::

    @tool
    def get_weather(city: str, days: int = 1) -> str:
        '''The weather forecast for a city.

        Args:
            city: where, as a person would write it
        '''

The schema comes from the annotations, the words from the docstring; ``Annotated[str, "words"]``
and ``Annotated[int, Field(ge=1, description="words")]`` win over it. A tool that changes, sends
or executes something must say so (``@tool(risk="write")``): approval policies go by it.
"""

from __future__ import annotations

import copyreg
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    TypedDict,
    Unpack,
    cast,
    get_args,
    overload,
)

from ..errors import UsageError
from ..messages import CallProblem, ProblemKind
from ..schemas.schema import check_schema
from .context import ToolContext
from .names import check_name
from .spec import ToolSpec, spec_from_openai
from .unenforced import warn_of_unenforced

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypeVar

    from .signature import Signature

    #: ``Tool`` alone is a tool of any signature; only a type checker has to know that.
    P = ParamSpec("P", default=...)
    R = TypeVar("R", default=Any)
else:
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")
__all__ = ["Ordering", "Risk", "Tool", "ToolTerms", "tool"]

Risk = Literal["read", "write", "egress", "exec"]
Ordering = Literal["parallel", "in_order"]
Q = ParamSpec("Q")
S = TypeVar("S")


class ToolTerms(TypedDict, total=False):
    """How a tool is to be treated; see the fields of :class:`Tool`."""

    risk: Risk
    needs_approval: bool | None
    timeout: float | None
    idempotent: bool
    trusted: bool | None
    ordering: Ordering | None
    undo: Callable[[str, Any, Any], None] | None
    look: Callable[[], Mapping[str, str] | None] | None


@dataclass(frozen=True, slots=True)
class Tool(Generic[P, R]):
    """A tool that can be offered and, if it has a function, run.

    Called by hand, it behaves like its function, with the same parameters and the same result.

    *risk* is the worst it can do: ``read`` (look), ``write`` (change something), ``egress`` (send
    something out) or ``exec`` (run what the model wrote). *needs_approval* overrides what the
    policy would decide by the risk. *timeout* is in seconds. An *idempotent* tool may be run again
    if it is not known whether it ran. Without a *function*, the result comes from elsewhere.

    *origin* is the server that a tool comes from, empty for the program's own. *pin* is a digest of
    what that server said about it: with another pin the tool has to be approved again.
    *is_claimed*: only the server says that it does no more than its *risk*. *caution* is the reason
    to ask a person about every call of this tool, whatever was decided before: "its description
    changed". The results of a *trusted* tool are the user's or the program's own text; those of
    other tools may be a stranger's, and must not be obeyed. By default, tools that only read or
    write are trusted. *ordering* is for several calls in one reply: with ``in_order``, a call of
    this tool runs after all calls before it, and the calls after it wait; by default the session
    decides. *undo* restores a file that a call changed: it gets the path, and the text before and
    after, from the result's metadata. *look* gives the texts of all these files, by path, or None
    if they are too many: what the calls of other tools changed is found by comparing them.
    """

    spec: ToolSpec
    function: Callable[P, R] | None = None
    risk: Risk = "read"
    needs_approval: bool | None = None
    timeout: float | None = None
    idempotent: bool = False
    pin: str = ""
    caution: str = ""
    trusted: bool | None = None
    ordering: Ordering | None = None
    undo: Callable[[str, Any, Any], None] | None = field(default=None, compare=False, repr=False)
    origin: str = ""
    is_claimed: bool = False
    look: Callable[[], Mapping[str, str] | None] | None = field(
        default=None, compare=False, repr=False
    )
    _signature: Signature | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_name(self.spec.name)
        if self.risk not in get_args(Risk):
            raise UsageError(f"risk of {self.name!r} is {self.risk!r}; use one of {get_args(Risk)}")
        if self.ordering not in (None, *get_args(Ordering)):
            raise UsageError(
                f"ordering of {self.name!r} is {self.ordering!r}; use one of {get_args(Ordering)}"
            )
        if self.timeout is not None and not self.timeout > 0:
            raise UsageError(f"timeout of {self.name!r} is {self.timeout!r}; use seconds above 0")

    def __reduce__(self) -> Any:
        # A decorated function is found under the name of its tool only: it goes by that name.
        home = (getattr(self.function, each, "") for each in ("__module__", "__qualname__"))
        address = ":".join(home)
        with suppress(ValueError, ImportError, AttributeError):
            if pkgutil.resolve_name(address) is self:
                return pkgutil.resolve_name, (address,)
        return copyreg.__newobj__, (type(self),), self.__getstate__()  # type: ignore[attr-defined]

    @classmethod
    def from_function(
        cls,
        function: Callable[Q, S],
        *,
        name: str | None = None,
        description: str | None = None,
        **terms: Unpack[ToolTerms],
    ) -> Tool[Q, S]:
        """A tool made from a function, a bound method or a partial, sync or async.

        Raises UsageError for parameters that no JSON object can fill.
        """
        # pydantic is imported by the first function that becomes a tool, not with the package.
        from .signature import read_signature, underlying

        signature = read_signature(function)
        spec = ToolSpec(
            check_name(underlying(function).__name__ if name is None else name),
            signature.summary if description is None else description,
            signature.schema(),
        )
        warn_of_unenforced(spec)
        made = cast("type[Tool[Q, S]]", cls)
        return made(spec, function, **terms, _signature=signature)

    @classmethod
    def from_schema(
        cls,
        name: str,
        description: str,
        parameters: Mapping[str, Any] | None,
        function: Callable[..., Any] | None = None,
        **terms: Unpack[ToolTerms],
    ) -> Tool:
        """A tool whose schema is written by hand or by another system.

        *function* gets the arguments as they are. Raises UsageError for an invalid schema.
        """
        spec = ToolSpec(check_name(name), description, check_schema(parameters, repr(name)))
        warn_of_unenforced(spec)
        return cast("type[Tool]", cls)(spec, function, **terms)

    @classmethod
    def from_openai(
        cls,
        definition: Mapping[str, Any],
        function: Callable[..., Any] | None = None,
        **terms: Unpack[ToolTerms],
    ) -> Tool:
        """A tool made from ``{"type": "function", "function": {...}}``."""
        spec = spec_from_openai(definition)
        warn_of_unenforced(spec)
        return cast("type[Tool]", cls)(spec, function, **terms)

    @property
    def name(self) -> str:
        """The name by which the model calls it."""
        return self.spec.name

    @property
    def only_reads(self) -> bool:
        """Whether it does no more than look, by the program's word and not only by a server's."""
        return self.risk == "read" and not self.is_claimed

    @property
    def is_trusted(self) -> bool:
        """Whether its results count as the user's or the program's own text."""
        if self.trusted is not None:
            return self.trusted
        # What came from outside, or out of a program that the model wrote, may be anybody's.
        return self.risk in ("read", "write")

    @property
    def is_async(self) -> bool:
        """Whether the function is async."""
        return inspect.iscoroutinefunction(self.function) or inspect.iscoroutinefunction(
            getattr(self.function, "__call__", None)  # noqa: B004 (an object may be async too)
        )

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function, as if it had never been made a tool."""
        if self.function is None:
            raise UsageError(f"{self.name!r} has no function; its calls are answered elsewhere")
        return self.function(*args, **kwargs)

    def bind(
        self, arguments: Mapping[str, Any], context: ToolContext | None = None
    ) -> dict[str, Any] | CallProblem:
        """Checked JSON *arguments* as keyword arguments in the function's own types.

        Models, enums and dates are made here; if their validators refuse a value, the result is a
        CallProblem. *context* is passed to the parameters that are annotated with its type.
        """
        if self._signature is None:
            return dict(arguments)
        bound = self._signature.bind(arguments)
        if isinstance(bound, str):
            return CallProblem(ProblemKind.INVALID_ARGUMENTS, bound, name=self.name)
        if context is not None:
            bound |= dict.fromkeys(self._signature.hidden, context)
        return bound


@overload
def tool(function: Callable[Q, S], /) -> Tool[Q, S]: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, **terms: Unpack[ToolTerms]
) -> Callable[[Callable[Q, S]], Tool[Q, S]]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **terms: Unpack[ToolTerms],
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of the function below: ``@tool`` or ``@tool(risk="write")``.

    The tool is called by hand like the function, and type checkers check such a call against the
    function's own signature.
    """

    def make(function: Callable[..., Any]) -> Tool:
        return Tool.from_function(function, name=name, description=description, **terms)

    return make if function is None else make(function)
