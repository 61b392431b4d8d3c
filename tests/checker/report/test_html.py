"""The page, as a browser shows it."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

import abigen as api
from abigen.checker.report.formats.html import render
from abigen.checker.report.layout import drawings
from abigen.checker.report.subject import Report, ReportedApi, Style, diff_report, lint_report, told_once
from abigen.model.finding import CheckRun, Page
from tests.checker.report.samples import COMPARISON, FINDING
from tests.tools import require

OLD = """\
#include <stddef.h>
#include <stdint.h>
typedef struct Toy { size_t struct_size; int32_t kind; int64_t width; char name[64]; int gone; } Toy;
union Either { int a; double b; };
struct Bits { unsigned a : 3, b : 5; short c; };
"""
NEW = """\
#include <stddef.h>
#include <stdint.h>
typedef struct Toy { size_t struct_size; int32_t kind; void* depth; int64_t width; char name[64]; } Toy;
union Either { int a; double b; char c[32]; };
struct Bits { unsigned a : 3, b : 5; short c; long d; };
"""

MEASURE = """
<iframe id="page" width="{width}" height="900" srcdoc="{page}"></iframe>
<script>
document.getElementById("page").onload = function () {{
  const inner = this.contentDocument, root = inner.documentElement;
  document.body.dataset.answer = JSON.stringify({{
    width: root.clientWidth, scroll: root.scrollWidth,
    findings: inner.querySelectorAll(".finding").length, boxes: inner.querySelectorAll("svg .box").length,
    page: getComputedStyle(inner.body).backgroundColor, text: getComputedStyle(inner.body).color,
  }});
}};
</script>
"""


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Two headers, of which structs, a union and bit-fields differ."""
    folder = tmp_path_factory.mktemp("headers")
    (folder / "old.h").write_text(OLD)
    (folder / "new.h").write_text(NEW)
    old, new = (ReportedApi(name, api.load(str(folder / name), cc="none")) for name in ("old.h", "new.h"))
    return diff_report(old, new, api.diff(old.api, new.api))


def show(page: str, folder: Path, *, width: int, dark: bool) -> dict[str, object]:
    """Return the measures of a page in a browser; fail when the browser reports an error."""
    (browser,) = require("chromium")
    path = folder / "frame.html"
    path.write_text(MEASURE.format(width=width, page=escape(page)), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    options += [f"--user-data-dir={folder}/profile", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    options += ["--virtual-time-budget=3000", "--enable-logging=stderr", "--dump-dom"]
    run = subprocess.run([browser, *options, path.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in run.stderr, run.stderr
    answer = re.search(r'data-answer="([^"]*)"', run.stdout)
    assert answer is not None, run.stdout
    return json.loads(answer[1].replace("&quot;", '"'))  # type: ignore[no-any-return]


def brightness(colour: object) -> int:
    """Return the sum of red, green and blue."""
    return sum(int(part) for part in re.findall(r"\d+", str(colour))[:3])


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_its_window_and_follows_the_colour_scheme(
    subject: Report, tmp_path: Path, width: int, *, dark: bool
) -> None:
    shown = show(render([subject], Style()), tmp_path, width=width, dark=dark)
    assert shown["scroll"] == shown["width"]
    assert shown["findings"] == len(told_once(subject.verdict.findings))
    assert shown["boxes"] == sum(len(each.old) + len(each.new) for each in drawings(subject))
    assert (brightness(shown["page"]) < brightness(shown["text"])) is dark


def test_members_are_drawn_where_they_stand_and_lines_lead_to_where_they_moved(subject: Report) -> None:
    found = {drawing.name: drawing for drawing in drawings(subject) if "x86_64-linux-gnu" in drawing.targets}
    toy = found["Toy"]
    assert [(box.kind, box.offset, box.remark) for box in toy.old] == [
        ("same", 0, ""),
        ("same", 8, ""),
        ("padding", 12, ""),
        ("moved", 16, "to 24"),
        ("moved", 24, "to 32"),
        ("removed", 88, "removed"),
        ("padding", 92, ""),
    ]
    assert [(box.kind, box.offset) for box in toy.new if box.kind == "new"] == [("new", 16)]
    assert len(toy.moves) == 2
    tops = {box.offset: box.top for box in toy.old}
    assert all(tops.get(box.offset, box.top) == box.top for box in toy.new)
    assert found["Bits"].old[0].title.startswith("unsigned int a : 3; unsigned int b : 5")
    assert set(found) == {"Toy", "Either", "Bits"}


def test_a_struct_that_was_renamed_is_drawn_under_both_names(tmp_path: Path) -> None:
    members = "uint32_t width, height; uint64_t pitch; void* pixels;"
    texts = [
        f"#include <stdint.h>\ntypedef struct GfxSurface {{ {members} }} GfxSurface;\n",
        f"#include <stdint.h>\ntypedef struct GfxPicture {{ {members} uint32_t depth; }} GfxPicture;\n",
    ]
    sides = []
    for name, text in zip(("old.h", "new.h"), texts, strict=True):
        (tmp_path / name).write_text(text)
        sides.append(ReportedApi(name, api.load(str(tmp_path / name), cache=False)))
    verdict = api.diff(sides[0].api, sides[1].api)
    drawn = drawings(diff_report(sides[0], sides[1], verdict))
    assert {each.name for each in drawn} == {"GfxSurface, now GfxPicture"}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("member", "drawn"),
    [
        ("int m{};", {"new": 1, "moved": 1}),
        ("double m{};", {"new": 1, "changed": 0, "moved": 1}),
        ("unsigned m{};", {"new": 1, "moved": 1}),
    ],
    ids=["moved", "moved-and-retyped", "moved-and-unsigned"],
)
def test_a_page_about_many_members_stays_small(member: str, drawn: dict[str, int], tmp_path: Path) -> None:
    number = 3000
    olds = [f"int m{place};" for place in range(number)]
    news = ["int front;", *(member.format(place) for place in range(number))]
    subject = compared(olds, news, tmp_path)
    (drawing,) = drawings(subject)
    kinds = Counter(box.kind for box in drawing.new)
    assert {kind: kinds[kind] for kind in drawn} == drawn
    assert f"{number} members, m0 to m{number - 1}" in {box.title.partition(":")[0] for box in drawing.new}
    page = render([subject], Style())
    assert len(page) < 500_000
    retyped = sum(each.rule == "field-type-changed" for each in subject.findings)
    assert (f"{retyped - 200} more of field-type-changed; <code>--format text</code>" in page) == (retyped > 200)


@pytest.mark.ci
def test_members_that_fare_differently_one_by_one_are_drawn_up_to_a_number(tmp_path: Path) -> None:
    olds = [f"int m{place};" for place in range(2000)]
    subject = compared(olds, olds[::2], tmp_path)
    (drawing,) = drawings(subject)
    assert len(drawing.old) < 500
    assert any(box.title.startswith("1600 members, ") for box in drawing.old)
    assert len(render([subject], Style())) < 1_000_000


def test_few_members_are_drawn_one_by_one(tmp_path: Path) -> None:
    olds = [f"int m{place};" for place in range(40)]
    (drawing,) = drawings(compared(olds, ["int front;", *olds], tmp_path))
    assert len(drawing.new) == 41


def compared(olds: list[str], news: list[str], folder: Path) -> Report:
    """Two states of one struct."""
    sides = []
    for name, members in (("old.h", olds), ("new.h", news)):
        (folder / name).write_text(f"typedef struct Big {{ {' '.join(members)} }} Big;\n")
        sides.append(ReportedApi(name, api.load(str(folder / name), cache=False, cc="none")))
    return diff_report(sides[0], sides[1], api.diff(sides[0].api, sides[1].api))


class _Tags(HTMLParser):
    """Collects what a page loads, and whether its tags match."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.texts: list[str] = []
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href") and value and value[0] != "#"]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_page_loads_nothing_and_shows_names_as_they_are() -> None:
    hostile = replace(FINDING, message="<script>alert(1)</script> & 'x'", entity="<b>")
    verdict = replace(COMPARISON.verdict, findings=(hostile,))
    for page in (
        render([diff_report(COMPARISON.old, COMPARISON.new, verdict)], Style()),
        render([lint_report((COMPARISON.new,), (hostile,), ok=False)], Style()),
    ):
        tags = _Tags()
        tags.feed(page)
        assert not tags.loads
        assert "script" not in tags.names
        assert any("<script>alert(1)</script> & 'x'" in text for text in tags.texts)
        assert "url(http" not in page
        assert '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ' in page


def test_the_page_about_a_plugin_lists_every_check_with_its_manual(tmp_path: Path) -> None:
    runs = (
        CheckRun(code="ABI020", name="handshake-refused", result="passed"),
        CheckRun(code="ABI021", name="older-core-refused", result="not run", reason="there is <no> such core"),
    )
    page = Page(code="ABI020", name="handshake-refused", group="", commands=("verify",), summary="It & refuses.",
                sections=(("Instead", "Accept."),))  # fmt: skip
    subject = Report(
        command="verify",
        operand="p.so",
        sides=(COMPARISON.new,),
        release="1.0.0",
        runs=runs,
        all_findings=(FINDING,),
        ok=False,
        not_called=(("S.f", "nobody"),),
        manual=lambda: [page],
    )
    text = render([subject], Style())
    assert "<title>abigen verify: p.so</title>" in text
    assert "It &amp; refuses." in text
    assert "not run: there is &lt;no&gt; such core" in text
    assert "Not called: S.f: nobody" in text
    assert text.count("<details>") == 2
