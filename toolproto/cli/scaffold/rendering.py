"""The files of a new paradigm, as text."""

from __future__ import annotations

import json
from pathlib import Path
from string import Template

from ...package import __version__
from ...protocol.messages import ToolCall
from ...protocol.tools.spec import ToolOffer, ToolSpec
from .wanted import PAYLOADS, NewParadigm

__all__ = ["CALL", "OFFER", "module_path", "module_text", "other_files"]

_TEMPLATES = Path(__file__).parent / "templates"
_WIDTH = 100
_PIECE = 76

_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
#: What the fixtures offer, and the call in them.
OFFER = ToolOffer((ToolSpec("get_weather", "Current weather for a city.", _CITY),))
CALL = ToolCall("get_weather", {"city": "Oslo"})


def module_path(wanted: NewParadigm) -> Path:
    """Where the paradigm itself is."""
    folder = Path("src") / wanted.module if wanted.package else Path()
    return folder / f"{wanted.name}.py"


def module_text(wanted: NewParadigm) -> str:
    """The paradigm itself."""
    payload_class, payload = PAYLOADS[wanted.payload]
    imports = [*sorted(["WireFormat", "WireParadigm", payload_class]), "register_paradigm"]
    return _filled(
        "custom.py" if wanted.custom else "delimited.py",
        summary=_summary(wanted),
        class_name=wanted.class_name,
        name=wanted.name,
        opener=_literal(wanted.opener),
        closer=_literal(wanted.closer),
        payload=payload,
        imports=", ".join(imports),
    )


def other_files(wanted: NewParadigm, written: str) -> dict[Path, str]:
    """Its tests and settings; *written* is a call as the paradigm writes it."""
    fields = {
        "class_name": wanted.class_name,
        "name": wanted.name,
        "module": wanted.module,
        "distribution": wanted.distribution,
        "version": __version__,
        "written": _lines(written),
        "example": written,
    }
    return {path: _filled(name, **fields) for path, name in _layout(wanted).items()}


def _layout(wanted: NewParadigm) -> dict[Path, str]:
    test = f"test_{wanted.name}.py"
    if not wanted.package:
        flat = {test: "test_paradigm.py", "conftest.py": "conftest.py", "pytest.ini": "pytest.ini"}
        return {Path(path): name for path, name in flat.items()}
    return {
        Path("pyproject.toml"): "pyproject.toml",
        Path("README.md"): "readme.md",
        Path("src") / wanted.module / "__init__.py": "init.py",
        Path("src") / wanted.module / "py.typed": "py.typed",
        Path("tests") / test: "test_paradigm.py",
        Path("tests") / "test_package.py": "test_package.py",
        Path("tests") / "conftest.py": "conftest.py",
    }


def _filled(template: str, **fields: str) -> str:
    text = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(fields)


def _literal(text: str) -> str:
    """*text* as formatters write it: in the quotes of which it holds fewer."""
    double = json.dumps(text, ensure_ascii=False)
    if text.count('"') <= text.count("'"):
        return double
    inside = double[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inside}'"


def _lines(text: str) -> str:
    """*text* as a literal, over several lines where it does not fit into one."""
    whole = _literal(text)
    if len(f"    written = {whole}") <= _WIDTH:
        return whole
    pieces = [_literal(text[at : at + _PIECE]) for at in range(0, len(text), _PIECE)]
    return "(\n" + "".join(f"        {piece}\n" for piece in pieces) + "    )"


def _summary(wanted: NewParadigm) -> str:
    """The first line of its docstrings: what a call looks like, where that can stand in one."""
    inside = "get_weather {…}" if wanted.custom else "…"
    form = f"{wanted.opener}{inside}{wanted.closer}"
    plain = form.isprintable() and not set(form) & set('\\`"')
    if not plain or len(form) > _WIDTH - 40:
        return f"The paradigm {wanted.name}: say what it is for."
    return f"``{form}``: say what it is for."
