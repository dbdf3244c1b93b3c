"""A report to look at."""

from __future__ import annotations

import re
import subprocess
from html.parser import HTMLParser

import pytest

from tests.patience import PATIENCE
from tests.web.browser import FLAGS, REMEDY, chromium
from toolproto import UsageError
from toolproto.testing.probe import Budget, ProbeReport, plan_probe, probe_model
from toolproto.testing.probe.files import ProbeFiles, folder_of
from toolproto.testing.probe.page import page

from .models import needless, scripted, small_plan

HOSTILE = '<script>alert("x")</script> & $\\frac{1}{0}$ 模型 \u202e'


@pytest.fixture(scope="module")
def report() -> ProbeReport:
    plan = small_plan(HOSTILE)
    return probe_model(scripted(needless(plan)), plan)


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in ("meta", "rect", "line", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_page_is_whole_and_loads_nothing(report):
    text = page(report)
    tags = _Tags()
    tags.feed(text)
    assert tags.open == []
    named = [tag for tag, _ in tags.seen]
    assert "script" not in named and "link" not in named and "img" not in named
    assert not re.search(r"(src|href)=|url\(|@import", text)
    assert "&lt;script&gt;" in text


def test_a_page_fits_into_1000_pixels(report, tmp_path):
    # The page itself says how wide it came out, and its tables, where a script may.
    tables = "...Array.from(document.querySelectorAll('.wide'), (e) => e.scrollWidth)"
    widths = f"[Math.max(document.documentElement.scrollWidth, {tables}), innerWidth]"
    told = f"<script>document.title = {widths}.join(' of ')</script></body>"
    file = tmp_path / "page.html"
    file.write_text(page(report).replace("</body>", told))
    program = chromium()
    if program is None:
        pytest.skip(REMEDY)
    shown = subprocess.run(
        [
            *(program, *FLAGS, "--window-size=1000,800", "--dump-dom"),
            *(f"--user-data-dir={tmp_path / 'profile'}", file.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    inner, window = re.search(r"<title>(\d+) of (\d+)</title>", shown.stdout).groups()
    assert int(inner) <= int(window) <= 1000


def test_a_page_has_a_bar_with_its_interval_for_every_share(report):
    text = page(report)
    assert text.count("<svg") == 6
    assert text.count('class="bar') == text.count('class="interval"') == 6 * 4
    assert "json_strict/examples" in text and "calls nothing when no tool is needed" in text
    assert re.search(r"100 % \(\d+-100\)", text)


def test_a_page_says_why_it_is_not_whole():
    plan = small_plan()
    half = probe_model(scripted(needless(plan)), plan, budget=Budget(requests=9))
    assert "the budget of 9 requests is used up" in page(half)


def test_nothing_asked_is_a_page_too():
    assert "0 of" in page(ProbeReport(plan_probe(), ()))


def test_the_files_of_a_probe_stand_in_one_folder(report, tmp_path):
    files = ProbeFiles(tmp_path / "a" / "b")
    files.make_folder()
    written = files.write(report)
    assert [path.name for path in written] == ["report.json", "report.html"]
    assert all(path.stat().st_size > 1000 for path in written)


def test_a_folder_that_cannot_be_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot make"):
        ProbeFiles(tmp_path / "file").make_folder()


@pytest.mark.parametrize(
    "model, folder",
    [
        ("qwen2.5:0.5b", "probe-qwen2.5-0.5b"),
        ("../../etc/passwd", "probe-etc-passwd"),
        ("", "probe-model"),
        ("..", "probe-model"),
        ("a" * 500, "probe-" + "a" * 80),
    ],
)
def test_a_folder_is_named_after_the_model_and_stays_here(model, folder):
    assert str(folder_of(model)) == folder
