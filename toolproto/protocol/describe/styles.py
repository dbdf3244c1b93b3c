"""The styles of showing tools, by name."""

from __future__ import annotations

from ..errors import UsageError
from .base import Style
from .forms import Forms
from .json_schema import JsonSchema
from .names_only import NamesOnly
from .python import Python
from .typescript import TypeScript
from .xml import Xml

__all__ = ["get_style", "list_styles"]

_ALL: tuple[Style, ...] = (
    Forms(),
    JsonSchema(),
    NamesOnly(),
    Python(),
    TypeScript(),
    Xml(),
)
_BY_NAME = {style.name: style for style in _ALL}


def list_styles() -> list[str]:
    """Every name that :func:`get_style` accepts."""
    return sorted(_BY_NAME)


def get_style(style: str | Style = "forms") -> Style:
    """The style called *style* (``"TypeScript"`` will do), or *style* itself if it is one."""
    if not isinstance(style, str):
        return style
    key = style.strip().lower().replace("-", "_")
    if key not in _BY_NAME:
        raise UsageError(f"no style named {style!r}; there are: {', '.join(list_styles())}")
    return _BY_NAME[key]
