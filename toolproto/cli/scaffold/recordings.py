"""The fixtures of a new paradigm: a call, one that is only shown, and one that was cut off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from ...protocol.errors import UsageError
from ...testing.fixtures import Fixture, write_fixture
from ...testing.reading_text import reading_text
from .rendering import CALL, OFFER

__all__ = ["write_fixtures"]

_ORIGIN = "written for the new paradigm"


def write_fixtures(folder: Path, paradigm: str, written: str) -> None:
    """Write the fixtures of *paradigm*, which is registered, and their snapshots, into *folder*.

    *written* is a call as the paradigm writes it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(tool) for tool in OFFER.tools], indent=1) + "\n"
    (folder / "tools.json").write_text(text, encoding="utf-8")
    for fixture in _fixtures(paradigm, written):
        parsed = fixture.read()
        if (parsed.calls == [CALL]) is not (fixture.case == "clean"):
            raise UsageError(
                f"with these markers the fixture {fixture.case!r} is read as {parsed.calls!r};"
                " choose others"
            )
        path = write_fixture(folder, fixture)
        snapshot = path.with_suffix(".snap")
        snapshot.write_text(reading_text(parsed), encoding="utf-8", newline="\n")


def _fixtures(paradigm: str, written: str) -> Iterator[Fixture]:
    city = str(CALL.arguments["city"])
    cut = written[: written.index(city) + len(city) // 2]
    quoted = "\n".join(f"> {line}" for line in written.split("\n"))
    yield Fixture(
        paradigm,
        "clean",
        f"Let me look.\n{written}",
        OFFER,
        _ORIGIN,
        "A call as it should be.",
        problems=(),
    )
    yield Fixture(
        paradigm,
        "cut_off",
        f"Let me look.\n{cut}",
        OFFER,
        _ORIGIN,
        "The reply grew too long: half a call is a problem.",
        finish_reason="length",
        problems=("truncated",),
    )
    yield Fixture(
        paradigm,
        "shown",
        f"A call looks like this:\n\n{quoted}\n\nBut no tool is needed here.",
        OFFER,
        _ORIGIN,
        "A call in a block quote is shown, not meant.",
        problems=(),
    )
