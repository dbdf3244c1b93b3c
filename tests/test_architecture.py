"""The generated parts of docs/architecture.md are what the code says."""

from __future__ import annotations

from pathlib import Path

import toolproto.protocol.decoding
from tests.test_layers import ROOMS

GUIDE = Path(__file__).parent.parent / "docs" / "architecture.md"


def rooms_drawn() -> list[str]:
    """Return the rooms in the order in which the guide draws them."""
    block = GUIDE.read_text(encoding="utf-8").partition("## Rooms")[2].split("```")[1]
    return [
        line.split()[0].removesuffix("/").removesuffix(".py") for line in block.splitlines()[1:]
    ]


def reader_map() -> str:
    """The modules of the reader, as its own docstring draws them."""
    told = toolproto.protocol.decoding.__doc__ or ""
    lines = told.partition("::\n\n")[2].partition("\nA reply goes:")[0].splitlines()
    return "\n".join(line.removeprefix("    ") for line in lines).strip("\n")


def test_the_rooms_in_the_guide_are_those_that_are_held() -> None:
    assert rooms_drawn() == [room for room in ROOMS if room not in ("public_names", "__main__")]


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
