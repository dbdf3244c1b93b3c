"""What a stranger has: a wheel, an environment with nothing of ours, and the pages to read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

ROOT = Path(__file__).parents[2]
_BLOCK = r"^```{language}\n(.*?)^```$"


def blocks(page: str, language: str, heading: str = "") -> list[str]:
    """The code of *language* on a page, below a *heading* if one is named."""
    text = (ROOT / page).read_text("utf-8")
    if heading:
        text = re.split(rf"^## {re.escape(heading)}$", text, flags=re.MULTILINE)[1]
        text = re.split(r"^## ", text, flags=re.MULTILINE)[0]
    found = re.findall(_BLOCK.format(language=language), text, re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no {language} below {heading!r}"
    return found


def build_wheel(folder: Path) -> Path:
    """What a release would be: the sdist, and a wheel made out of it with the tools that are here.

    So what the sdist leaves out by mistake is not in the wheel either.
    """
    sdist = ["-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    ran([sys.executable, *sdist], cwd=ROOT)
    (packed,) = folder.glob("*.tar.gz")
    words = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    # Nothing is fetched to build with, and pip has no use for what it is not to fetch.
    variables = {k: v for k, v in os.environ.items() if k != "PIP_BUILD_CONSTRAINT"}
    ran([sys.executable, *words, "--wheel-dir", str(folder), str(packed)], env=variables)
    (wheel,) = folder.glob("*.whl")
    return wheel


def ran(words: list[str], **options: Any) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=300, **options)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@dataclass
class Environment:
    """An environment of its own in *home*.

    Tests have no network, so what toolproto depends on is looked up where the tests have it; of
    toolproto itself there is nothing until the wheel is installed.
    """

    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        venv.create(self.home, with_pip=False)
        libraries = next(self.home.glob("lib*/python*/site-packages"))
        (libraries / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
        for name in ("pip", "pytest"):
            script = self.home / "bin" / name
            script.write_text(f'#!/bin/sh\nexec "{self.home}/bin/python" -m {name} "$@"\n')
            script.chmod(0o755)
        self.variables |= {
            "PATH": f"{self.home / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            # What Hypothesis finds out about Unicode takes it seconds.
            "HYPOTHESIS_STORAGE_DIRECTORY": str(ROOT / ".hypothesis"),
        }

    def shell(self, command: str, folder: Path) -> str:
        """What *command* prints in a shell in *folder*."""
        return ran(["bash", "-c", command], cwd=folder, env=self.variables)


class Stopwatch:
    """Counts the seconds to a stranger's first success: those of work, which a crowd leaves alone.

    Where nobody else is at work, as many pass on the clock.
    """

    def __init__(self, who: str) -> None:
        self._who = who
        self._begun = monotonic()
        self._worked = _work()

    def success(self) -> float:
        seconds = _work() - self._worked
        passed = monotonic() - self._begun
        line = f"{self._who}: first success after {passed:.1f} s, {seconds:.1f} s of work"
        print(line)
        if report := os.environ.get("TOOLPROTO_NEWCOMERS"):
            with open(report, "a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        return seconds


def _work() -> float:
    """Seconds at work of this process and of all that it has waited for."""
    return sum(os.times()[:4])


def commands(block: str) -> Iterator[str]:
    """The commands of a block of a shell session, with what belongs to them."""
    from tests.test_docs import session

    for command, _ in session(block):
        yield command
