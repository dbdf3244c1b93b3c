"""Each command that needs an extra says which, and how to get it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: The extra, the modules it brings, and words that need it.
NEEDED = {
    "local": (["xllamacpp"], ["chat", "--local", "--message", "hi"]),
    "hub": (["huggingface_hub"], ["model", "pull", "owner/repository/file.gguf"]),
    "sql": (["sqlalchemy"], ["sessions", "--store", "chats.db", "list"]),
    "postgres": (["psycopg"], ["sessions", "--store", "postgresql://localhost/x", "list"]),
    "server": (["uvicorn", "starlette"], ["serve", "--upstream", "http://localhost:9/v1"]),
    "web": (["uvicorn", "starlette"], ["web", "--no-open"]),
    "mcp": (["mcp"], ["mcp", "true"]),
    "bulk": (["pyarrow"], ["parse", "rows.parquet"]),
}
PROGRAM = """
import sys
from toolproto.cli import run
import toolproto.cli.app


class Missing:
    names = sys.argv.pop(1).split(",")

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in self.names:
            raise ModuleNotFoundError(f"No module named {top!r}", name=top)


sys.meta_path.insert(0, Missing())
run()
"""


@pytest.mark.parametrize("extra", NEEDED)
def test_a_command_without_its_extra_says_what_to_install(extra, tmp_path):
    modules, words = NEEDED[extra]
    for name in ("chats.db", "rows.parquet"):
        (tmp_path / name).touch()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, ",".join(modules), *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    told = done.stdout + done.stderr
    assert done.returncode in (1, 2), told
    assert "Traceback" not in told
    also = "server" if extra == "web" else extra
    assert "pip install" in told and (f"[{extra}]" in told or f"[{also}]" in told), told


@pytest.mark.parametrize("module", ["click", "platformdirs", "prompt_toolkit", "rich", "tomlkit"])
def test_the_command_line_says_what_to_install_whatever_it_lacks(module, tmp_path):
    lacking = PROGRAM.replace("import toolproto.cli.app\n", "")
    done = subprocess.run(
        [sys.executable, "-c", lacking, module, "paradigms"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1 and "[cli]" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
