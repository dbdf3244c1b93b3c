"""How an extra is installed, wherever the package came from."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from toolproto.package import install_command


@pytest.fixture
def came_from(monkeypatch, tmp_path):
    """Tells pip's record of where the package came from."""

    def tell(text: str | None) -> None:
        class Told:
            def read_text(self, name: str) -> str | None:
                assert name == "direct_url.json"
                return text

        monkeypatch.setattr(metadata, "distribution", lambda name: Told())

    monkeypatch.chdir(tmp_path)
    return tell


def test_from_an_index_it_is_the_name(came_from):
    came_from(None)
    assert install_command("sql") == "pip install 'toolproto[sql]'"
    assert install_command("sql", newer=True) == "pip install -U 'toolproto[sql]'"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"url": 3}', "nonsense", '{"url": "file:///x"}'])
def test_what_cannot_be_read_is_no_error(came_from, text):
    came_from(text)
    assert install_command("sql") == "pip install 'toolproto[sql]'"


def test_from_a_clone_it_is_the_clone(came_from, tmp_path):
    (tmp_path / "a clone").mkdir()
    url = (tmp_path / "a clone").as_uri()
    came_from(json.dumps({"url": url, "dir_info": {"editable": True}}))
    assert install_command("sql") == "pip install -e './a clone[sql]'"


def test_from_a_wheel_it_is_the_wheel_while_it_is_there(came_from, tmp_path):
    wheel = tmp_path / "dist" / "toolproto-1-py3-none-any.whl"
    came_from(json.dumps({"url": wheel.as_uri(), "archive_info": {}}))
    assert install_command("sql") == "pip install 'toolproto[sql]'"
    wheel.parent.mkdir()
    wheel.touch()
    assert install_command("sql") == "pip install './dist/toolproto-1-py3-none-any.whl[sql]'"
    came_from(json.dumps({"url": Path.cwd().as_uri(), "dir_info": {}}))
    assert install_command("sql") == "pip install '.[sql]'"
