"""What a release is tried with: ``make release-check``, a quarter of an hour with an index at hand.

The wheel is built out of the sdist. Then, for every Python from 3.11 to 3.14 that is on this
machine, it is installed into a clean environment with the newest versions of what it depends on,
with the lowest that ``pyproject.toml`` claims (for the first Python only), and with each extra
alone; each time it is used. At last a program is type-checked against it as installed.

    python requirements/release_check.py [PART …]      # newest, lowest, extras, types

Extras that are a framework of somebody else's, some of them gigabytes, are tried only by name:
``extra:llm``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).parent.parent
#: Where commands are run: in the clone, its own package would be found before the installed one.
HOME = Path.home()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
#: For working on the package, not for using it.
OURS = {"test", "bench", "soak", "docs", "all"}
#: Extras that are a framework of somebody else's, and large.
LARGE = {"ray", "llm"}
#: What is imported of ours with each of them.
MODULES = {"llm": ["toolproto.gateway.llm_plugin"], "ray": ["toolproto.bulk.ray"]}
PROGRAM = """
from toolproto import ChatSession, tool
from toolproto.endpoints import ScriptedEndpoint

@tool
def double(number: int) -> int:
    "Twice a number."
    return 2 * number

endpoint = ScriptedEndpoint(
    '<tool_code>{"name": "double", "arguments": {"number": 4}}</tool_code>', "Eight."
)
print(ChatSession(endpoint, paradigm="xml_tag", tools=[double]).send("Twice four?").text)
"""
TYPED = PROGRAM + "\ndouble(number='four')\n"


def run(*words: str | Path, fails: bool | None = False, cwd: Path = HOME) -> str:
    """What a command prints; SystemExit if it does not end as it should (None: either way)."""
    names = ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT", "PYTHONPATH")
    clean = {key: value for key, value in os.environ.items() if key not in names}
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, encoding="utf-8", env=clean, cwd=cwd
    )
    if fails is not None and bool(done.returncode) is not fails:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def pythons() -> Iterator[str]:
    """The interpreters of this machine that we claim to work with."""
    for minor in range(11, 15):
        names = [shutil.which(f"python3.{minor}")]
        names += map(str, sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")))
        # What pyenv puts into the path need not lead to an interpreter.
        found = (each for each in names if each and _version(each).startswith(f"3.{minor}."))
        if python := next(found, None):
            yield python
        else:
            print(f"Python 3.{minor}: not on this machine, not tried")


def _version(python: str) -> str:
    return run(python, "-c", "import platform; print(platform.python_version())", fails=None)


def built(folder: Path) -> Path:
    """The wheel, made out of the sdist."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    words = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder)
    run(sys.executable, *words, sdist)
    (wheel,) = folder.glob("*.whl")
    return wheel


def environment(python: str, folder: Path, what: str, *options: str) -> Path:
    """The Python of a new environment in which *what* is installed."""
    run(python, "-m", "venv", folder)
    inner = folder / "bin" / "python"
    run(inner, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options, what)
    return inner


def used(inner: Path, folder: Path) -> None:
    """The package is imported from where it was installed, and works."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    assert run(inner, program) == "Eight.\n"
    where = run(inner, "-c", "import toolproto; print(toolproto.__file__)")
    assert str(folder) in where, where


def newest(wheel: Path, folder: Path) -> None:
    """Every Python, with the newest of everything."""
    for python in pythons():
        name = _version(python).strip()
        with timed(f"Python {name}, newest versions"):
            inner = environment(
                python, folder / f"newest-{name}", f"{wheel}[cli,server,sql,testing]"
            )
            used(inner, folder / f"newest-{name}")
            assert "67" in run(inner, "-m", "toolproto", "paradigms", "nonsuch", fails=True)


def lowest(wheel: Path, folder: Path) -> None:
    """The lowest versions that we claim."""
    constraints = folder / "lowest.txt"
    asked = [*PROJECT["dependencies"]]
    asked += [each for name in ("cli", "server", "sql", "testing") for each in EXTRAS[name]]
    found = [re.match(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?>=([0-9.]+)", each) for each in asked]
    constraints.write_text("".join(f"{each[1]}=={each[2]}\n" for each in found if each))
    python = next(pythons())
    with timed("lowest versions"):
        what = f"{wheel}[cli,server,sql,testing]"
        inner = environment(python, folder / "lowest", what, "-c", str(constraints))
        used(inner, folder / "lowest")
        run(inner, "-m", "toolproto", "doctor")
        print("   ", ", ".join(constraints.read_text().split()))


def extras(wheel: Path, folder: Path) -> None:
    """Each extra alone: the doctor finds it, or it can be imported."""
    for name in sorted(EXTRAS.keys() - OURS - LARGE):
        extra(name, wheel, folder)


def extra(name: str, wheel: Path, folder: Path) -> None:
    """One extra alone; if it is a framework's, what is written for that framework is imported."""
    with timed(f"extra {name}"):
        home = folder / f"extra-{name}"
        inner = environment(next(pythons()), home, f"{wheel}[{name}]")
        used(inner, home)
        for module in MODULES.get(name, ()):
            run(inner, "-c", f"import {module}")
        # Without the extra "cli" the command says what it needs; with it, it works.
        told = run(inner, "-m", "toolproto", "doctor", fails=None)
        assert "Traceback" not in told, told
        assert (f"toolproto[{name}]" in told) if name == "cli" else "pip install" in told, told
        shutil.rmtree(home)


def types(wheel: Path, folder: Path) -> None:
    """A program is checked against the package as it is installed."""
    with timed("types as installed"):
        inner = environment(next(pythons()), folder / "types", str(wheel))
        run(inner, "-m", "pip", "install", "--quiet", "mypy")
        program = folder / "types" / "typed.py"
        program.write_text(TYPED)
        told = run(inner, "-m", "mypy", "--strict", program, fails=True)
        assert 'expected "int"' in told and "Found 1 error" in told, told


class timed:
    """Says what is tried and how long it took."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        self._begun = monotonic()

    def __exit__(self, kind: object, *_: object) -> None:
        ended = "failed" if kind else "fine"
        print(f"{self._what}: {ended}, {monotonic() - self._begun:.0f} s", flush=True)


PARTS: dict[str, Callable[[Path, Path], None]] = {
    "newest": newest,
    "lowest": lowest,
    "extras": extras,
    "types": types,
}


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with timed("sdist, and a wheel out of it"):
            wheel = built(folder / "dist")
        for part in sys.argv[1:] or PARTS:
            kind, _, name = part.partition(":")
            if kind == "extra":
                extra(name, wheel, folder)
            else:
                PARTS[part](wheel, folder)


if __name__ == "__main__":
    main()
