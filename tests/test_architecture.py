"""The generated parts of docs/architecture.md are what the code says."""

from __future__ import annotations

from pathlib import Path

import toolproto.protocol.decoding
from tests.test_layers import LAYERS

GUIDE = Path(__file__).parent.parent / "docs" / "architecture.md"


def layer_table() -> str:
    """The layers, as the guide shows them."""
    rows = []
    for layer in sorted(set(LAYERS.values())):
        names = [name for name, of in LAYERS.items() if of == layer and not name.startswith("__")]
        rows.append(f"L{layer}  {' '.join(names)}")
    return "\n".join(rows)


def reader_map() -> str:
    """The modules of the reader, as its own docstring draws them."""
    told = toolproto.protocol.decoding.__doc__ or ""
    lines = told.partition("::\n\n")[2].partition("\nA reply goes:")[0].splitlines()
    return "\n".join(line.removeprefix("    ") for line in lines).strip("\n")


def test_the_layers_in_the_guide_are_those_that_are_held() -> None:
    assert layer_table() in GUIDE.read_text(encoding="utf-8")


def test_the_map_of_the_reader_in_the_guide_is_its_own() -> None:
    assert reader_map() in GUIDE.read_text(encoding="utf-8")


def test_every_module_of_the_reader_is_on_the_map() -> None:
    folder = Path(toolproto.protocol.decoding.__file__).parent
    drawn = reader_map()
    for path in folder.rglob("*.py"):
        stem = path.stem.partition("_")[0]
        known = path.name in drawn or path.stem in drawn or f"{stem}_*" in drawn
        known = known or path.parent.name in ("families", "values") or path.stem == "__init__"
        assert known, (
            f"{path.relative_to(folder)} is not in the docstring of toolproto.protocol.decoding"
        )
