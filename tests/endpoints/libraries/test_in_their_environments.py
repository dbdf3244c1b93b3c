"""The tests of this folder, each where its library is installed: ``make libraries``."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.gateway.proxy.clients.environments import NotInstalled, installed, new_pip

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SECONDS = 900
LIBRARIES = ("transformers", "mlx", "vllm", "clients")


@pytest.mark.skipif("TOOLPROTO_LIBRARIES" not in os.environ, reason="gigabytes: make libraries")
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_an_endpoint(library: str):
    try:
        folder = installed(str(HERE / f"{library}.txt"))
    except NotInstalled as reason:
        pytest.fail(str(reason))
    _mend(library, folder)
    options = ("-q", "-p", "no:cacheprovider", "--noconftest", "-c", os.devnull, "-rs")
    done = subprocess.run(
        [
            *(str(folder / "bin" / "python"), "-m", "pytest", *options),
            *("--rootdir", str(ROOT), str(HERE / f"test_{library}.py")),
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout and " skipped" not in done.stdout, done.stdout[-2000:]


def _mend(library: str, folder: Path) -> None:
    """Take from the environment of vLLM what text needs nothing of, and may not fit its torch.

    Its torch is built for the processor; a torchvision that is built for CUDA keeps transformers
    from importing any model.
    """
    if library == "vllm":
        pip = new_pip()
        apart = ("torchvision", "torchaudio", "torchcodec")
        python = str(folder / "bin" / "python")
        subprocess.run([*pip, "--python", python, "uninstall", "-q", "-y", *apart], check=True)
