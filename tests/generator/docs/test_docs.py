"""The reference of an API has everything of the API in it, once, and says what the other commands say."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from abigen.model.entities import Handle
from abigen.model.target import default_targets
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.cli.program import Program
from tests.tools import require

ROOT = Path(__file__).parents[3]
FAMILIES = ("rfc", "tensorflow", "xla")
HEADER = """\
#include <stddef.h>
#include <stdint.h>
// Uses `ab_thing` and AB_Thing.number <script>alert(1)</script>.
typedef struct AB_Thing {
  size_t struct_size;
  char small;
  // Read by `small`. Since 1.2.0.
  int32_t number;
  long count;
  unsigned flags : 3;
  union { int a; struct { char x; double y; } in; } u;
} AB_Thing;
// Makes an [AB_Thing](http://example.org).
AB_Thing* ab_thing(int AB, int32_t ab);
typedef int Ab_Thing;
"""


class Page(HTMLParser):
    """The parts of a page that the tests read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.entities: list[str] = []
        self.rows: dict[str, list[list[list[str]]]] = {}
        """Anchor of each struct to its layouts, in their order: the cells of each row."""
        self.tags: Counter[str] = Counter()
        self._in_cell = self._in_bytes = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.tags[tag] += 1
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if tag == "a" else []
        if tag == "article":
            self.entities.append(values["id"])
        layouts = self.rows.setdefault(self.entities[-1], []) if self.entities else []
        if tag == "table":
            self._in_bytes = values["class"] == "bytes"
            layouts += [[]] if self._in_bytes else []
        if self._in_bytes and tag == "tr":
            layouts[-1].append([])
        if self._in_bytes and tag == "td":
            layouts[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[self.entities[-1]][-1][-1][-1] += data


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(ROOT, tmp_path / "cache")


def html(program: Program, directory: Path, *operands: str) -> Page:
    result = program("docs", *operands, "--out", str(directory))
    assert result.code == 0, result.remarks
    return Page((directory / "index.html").read_text(encoding="utf-8"))


def names_in(spec: Path) -> Iterator[str]:
    """Yield names of all that a spec declares, and of its parts."""
    api = load(str(spec), ReadOptions(targets=default_targets())).groups[0].api
    tags = {getattr(each, "tag", "") for each in api.typedefs.values()}
    groups = (api.enums, api.functions, api.variables, api.constants, api.macros)
    yield from (each.name for group in groups for each in group.values() if each.in_api and "<" not in each.name)
    for name, struct in api.structs.items():
        if struct.in_api and not struct.anonymous and (struct.fields is not None or struct.tag not in tags):
            yield name
            yield from (f"{name}.{each.name}" for each in struct.fields or () if each.name)
    for enum in api.enums.values():
        if enum.in_api and "<" not in enum.name:
            yield from (f"{enum.name}.{each.name}" for each in enum.enumerators or ())
    for name, typedef in api.typedefs.items():
        is_handle = isinstance(typedef, Handle)
        if typedef.in_api and (is_handle or (name not in api.structs and name not in api.enums)):
            yield name


@pytest.mark.ci
@pytest.mark.parametrize("family", FAMILIES)
def test_every_entity_stands_in_the_page_once_with_its_anchor(family: str, program: Program, tmp_path: Path) -> None:
    page = html(program, tmp_path / "out", family)
    expected = {name for spec in sorted((ROOT / "spec" / family).glob("*.yaml")) for name in names_in(spec)}
    assert len(expected) > 100
    assert expected <= set(page.ids)
    assert {name: number for name, number in Counter(page.ids).items() if number > 1} == {}
    assert set(page.entities) == {name for name in expected if "." not in name}


@pytest.mark.ci
@pytest.mark.parametrize("operands", [("rfc",), ("tensorflow",), ("rfc", "tensorflow/kernels")])
def test_every_link_leads_somewhere(operands: tuple[str, ...], program: Program, tmp_path: Path) -> None:
    page = html(program, tmp_path / "out", *operands)
    assert {link for link in page.links if link.removeprefix("#") not in page.ids} == set()
    assert page.links

    folder = tmp_path / "markdown"
    assert program("docs", *operands, "--format", "markdown", "--out", str(folder)).code == 0
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    anchors = {name: set(re.findall(r'<a id="([^"]*)">', text)) for name, text in texts.items()}
    assert len(texts) == len(page.entities) + 1
    found = [
        (name, link) for name, text in texts.items() for link in re.findall(r'\]\(([^)]+)\)|<a href="([^"]+)">', text)
    ]
    for name, link in found:
        file, _, anchor = "".join(link).partition("#")
        assert (file or name) in texts, link
        assert not anchor or anchor in anchors[file or name], link


@pytest.mark.ci
@pytest.mark.parametrize("family", FAMILIES)
def test_layouts_are_those_of_abigen_layout(family: str, program: Program, tmp_path: Path) -> None:
    page = html(program, tmp_path / "out", family)
    targets = [option for target in default_targets() for option in ("--abi", target)]
    seen = 0
    for spec in sorted((ROOT / "spec" / family).glob("*.yaml")):
        result = program("layout", str(spec), "--format", "json", *targets)
        for document in json.loads(result.output):
            for name, struct in document["structs"].items():
                expected = [(str(each["offset"]), each["name"]) for each in struct["fields"] if each["name"]]
                named = {each for _, each in expected}
                drawn = [[(row[0], row[3]) for row in rows if row and row[3] in named] for rows in page.rows[name]]
                assert expected in drawn, name
                covered = [sum(int(row[2]) for row in rows if row) for rows in page.rows[name]]
                is_flat = all(each["name"] and not each["bit_offset"] for each in struct["fields"])
                assert struct["size"] in covered or not is_flat, name
                seen += 1
    assert seen >= 3


def test_a_layout_is_drawn_once_for_targets_on_which_it_is_the_same(program: Program, tmp_path: Path) -> None:
    (tmp_path / "thing.h").write_text(HEADER, encoding="utf-8")
    page = html(program, tmp_path / "out", str(tmp_path / "thing.h"))
    linux, windows = page.rows["AB_Thing"]
    assert ["12", "", "4", "number"] in linux and ["12", "", "4", "number"] in windows
    assert ["16", "", "8", "count"] in linux and ["16", "", "4", "count"] in windows
    assert ["24:0", "", "3 bits", "flags"] in linux and ["20:0", "", "3 bits", "flags"] in windows
    assert ["9", "", "3", "padding"] in linux
    assert [row[3] for row in linux if row and row[3].startswith("u")] == ["u", "u.a", "u.in", "u.in.x", "u.in.y"]


def test_what_a_header_says_is_text_and_never_markup(program: Program, tmp_path: Path) -> None:
    (tmp_path / "thing.h").write_text(HEADER, encoding="utf-8")
    page = html(program, tmp_path / "out", str(tmp_path / "thing.h"))
    assert page.tags["script"] == 1
    assert all(link.startswith("#") for link in page.links)
    folder = tmp_path / "markdown"
    program("docs", str(tmp_path / "thing.h"), "--format", "markdown", "--out", str(folder))
    text = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert "alert" in text and "<script>" not in text
    assert "example.org" in text and "](http" not in text


def test_names_that_differ_in_case_only_get_pages_of_their_own(program: Program, tmp_path: Path) -> None:
    (tmp_path / "thing.h").write_text(HEADER, encoding="utf-8")
    folder = tmp_path / "markdown"
    assert program("docs", str(tmp_path / "thing.h"), "--format", "markdown", "--out", str(folder)).code == 0
    names = [path.name for path in folder.iterdir()]
    assert len({name.casefold() for name in names}) == len(names) == 4


def test_a_size_is_listed_for_each_release_that_appended(program: Program, tmp_path: Path) -> None:
    spec = """\
abigen: 1
api: toy
prefix: TY
version: 1.2.0
releases: [1.0.0, 1.2.0]
conventions: {leading_fields: [size_t struct_size], filled_by: {TY_: core}}
structs:
  - name: TY_Fns
    fields:
      - {name: first, type: int32_t, zero: no-op, doc: The first.}
      - {name: second, type: void*, since: 1.2.0, zero: no-op, optional: true, doc: Later.}
"""
    (tmp_path / "toy.yaml").write_text(spec, encoding="utf-8")
    html(program, tmp_path / "out", str(tmp_path / "toy.yaml"))
    text = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert re.findall(r"<tr><td>([\w. ]+)</td><td><code>(\w+)</code></td><td>(\d+)</td></tr>", text) == [
        ("the first", "first", "12"),
        ("1.2.0", "second", "24"),
    ]
    assert 'id="TY_FNS_STRUCT_SIZE"' in text
    for label, value in (("Since", "1.2.0"), ("Required", "no"), ("Zero", "0 is no-op"), ("Filled by", "core")):
        assert f"<dt>{label}</dt><dd>{value}</dd>" in text


def test_pages_that_are_up_to_date_are_left_alone(program: Program, tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    assert "wrote" in program("docs", "rfc/kernels", "--out", folder).output
    assert "up to date" in program("docs", "rfc/kernels", "--out", folder, "--check").output
    with (tmp_path / "out/index.html").open("a", encoding="utf-8") as file:
        file.write("more\n")
    result = program("docs", "rfc/kernels", "--out", folder, "--check")
    assert result.code == 1
    assert "-more" in result.output


def test_a_page_of_what_is_gone_is_named_until_somebody_deletes_it(program: Program, tmp_path: Path) -> None:
    header, folder = tmp_path / "toy.h", tmp_path / "out"
    arguments = ["docs", str(header), "--format", "markdown", "--out", str(folder)]
    header.write_text("int toy_count(void);\nint toy_weigh(void);\n", encoding="utf-8")
    program(*arguments)
    (folder / "notes.md").write_text("# Mine\n", encoding="utf-8")
    header.write_text("int toy_count(void);\n", encoding="utf-8")
    said = f"{folder / 'toy_weigh.md'}: no input generates this page any more; delete it\n"
    written = program(*arguments)
    assert (written.code, written.remarks) == (0, said)
    checked = program(*arguments, "--check")
    assert (checked.code, checked.remarks) == (1, said)
    (folder / "toy_weigh.md").unlink()
    assert program(*arguments, "--check").code == 0


@pytest.mark.ci
def test_the_search_leaves_what_has_the_words(program: Program, tmp_path: Path) -> None:
    (browser,) = require("chromium")
    html(program, tmp_path / "out", "tensorflow/stream_executor")
    page = tmp_path / "out/index.html"
    text = re.sub(r"<meta http-equiv=[^>]*>", "", page.read_text(encoding="utf-8"))
    typed = (
        "<script>const box = document.getElementById('search'); box.value = 'nanoseconds timer';"
        "box.dispatchEvent(new Event('input'));</script></body>"
    )
    page.write_text(text.replace("</body>", typed), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    run = subprocess.run([*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120)
    shown = re.findall(r'<article class="entity" id="([^"]*)">', run.stdout)
    hidden = re.findall(r'<article class="entity" id="([^"]*)" hidden="">', run.stdout)
    assert "SP_TimerFns" in shown and "SP_Device" in hidden
    assert f"{len(shown)} of {len(shown) + len(hidden)}</p>" in run.stdout
