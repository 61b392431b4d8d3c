"""`abigen lsp`, by a real client: problems, layouts, fixes and keys while a header or a spec is edited."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from urllib.parse import urlparse

import pytest
from lsprotocol import types

from tests.editor.conftest import git, release
from tests.editor.editor import BOX, INSERTED, SPEC, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")
HEADER, YAML = "include/box.h", "spec/box.yaml"
_BUMP = (7, "ABI701 bump-missing")


@pytest.mark.ci
async def test_a_header_without_a_flaw_has_no_problem(editor: Editor) -> None:
    await editor.open(HEADER)
    assert editor.shown(HEADER) == []
    assert await editor.lenses(HEADER) == [(0, "ABI: no change since v1.0.0")]


async def test_a_change_is_compared_with_the_last_release_while_typing(editor: Editor) -> None:
    await editor.open(HEADER)
    await editor.change(HEADER, INSERTED)
    assert editor.shown(HEADER) == [(17, "ABI103 field-inserted"), _BUMP]
    problem = editor.problems(HEADER)[0]
    assert problem.severity == types.DiagnosticSeverity.Error
    assert "BX_Box.depth was inserted at offset 24" in problem.message
    assert "old plugin: breaks: " in problem.message
    assert "instead: append depth" in problem.message
    await editor.change(HEADER, BOX)
    assert editor.shown(HEADER) == []


async def test_a_problem_leads_to_its_place_in_the_release(editor: Editor) -> None:
    await editor.open(HEADER, BOX.replace("  int32_t height; /* 0 is no-op. */\n", "").replace("x, height", "x, width"))
    problem = next(each for each in editor.problems(HEADER) if each.code == "ABI101 field-removed")
    assert problem.range.start.line == BOX[: BOX.index("BX_Box {")].count("\n")
    (related,) = problem.related_information or ()
    assert related.message == "in v1.0.0"
    old = Path(urlparse(related.location.uri).path)
    assert old.read_text() == BOX
    start, end = related.location.range.start, related.location.range.end
    assert BOX.split("\n")[start.line][start.character : end.character] == "height"


async def test_flaws_and_errors_are_shown_where_they_are(editor: Editor) -> None:
    await editor.open(HEADER, BOX.replace("BX_END(BX_Box, height)", "BX_END(BX_Box, width)"))
    assert (19, "ABI806 size-macro-stale") in editor.shown(HEADER)
    await editor.change(HEADER, BOX.replace("int64_t width;", "int64 width;"))
    (problem,) = editor.problems(HEADER)
    assert problem.range.start == types.Position(16, 2)
    assert problem.message == "unknown type name 'int64'\ndid you mean 'int64_t'?"


async def test_columns_are_those_of_the_client(editor: Editor) -> None:
    text = BOX.replace("  int64_t width;", "  /* \U0001f4e6 \u00e4 */ int64 width;")
    await editor.open(HEADER, text)
    (problem,) = editor.problems(HEADER)
    assert (problem.range.start.character, problem.range.end.character) == (13, 18)


async def test_lines_may_end_as_on_windows(editor: Editor) -> None:
    await editor.open(HEADER, INSERTED.replace("\n", "\r\n"))
    assert editor.shown(HEADER) == [(17, "ABI103 field-inserted"), _BUMP]
    for action in (await editor.actions(HEADER, "dep|th;")).values():
        assert "\n" not in editor.after(HEADER, action).replace("\r\n", "")


async def test_other_separators_are_no_line_ends(editor: Editor) -> None:
    text = BOX.replace("/* A box.", "\x0c\n/* A \u2028 box.")
    await editor.open(HEADER, text)
    await editor.change(HEADER, text.replace("  int32_t height;", "  int32_t depth;\n  int32_t height;"))
    assert (18, "ABI103 field-inserted") in editor.shown(HEADER)


async def test_the_configuration_names_the_baseline_and_the_targets(editor: Editor) -> None:
    git(editor.folder, "checkout", "-q", "-b", "next")
    (editor.folder / HEADER).write_text(INSERTED)
    release(editor.folder, "other")
    (editor.folder / "abigen.toml").write_text('baseline = "main"\ntargets = ["x86_64-linux-gnu", "i686-linux-gnu"]\n')
    await editor.open(HEADER)
    assert await editor.lenses(HEADER) != []
    assert "since main" in (await editor.lenses(HEADER))[0][1]
    assert editor.shown(HEADER) == [(17, "ABI103 field-inserted"), _BUMP]
    assert "offset 28, size 4 bytes (x86_64-linux-gnu)" in await editor.hover(HEADER, "heig|ht;")
    assert "offset 20, size 4 bytes (i686-linux-gnu)" in await editor.hover(HEADER, "heig|ht;")


@pytest.mark.ci
async def test_a_wrong_configuration_is_a_problem_of_the_header(editor: Editor) -> None:
    (editor.folder / "abigen.toml").write_text('baseline = "-x"\n')
    await editor.open(HEADER)
    (problem,) = editor.problems(HEADER)
    assert "abigen.toml:1:" in problem.message
    assert "name a git revision" in problem.message
    (editor.folder / "abigen.toml").write_text("")
    await editor.save(HEADER)
    assert editor.shown(HEADER) == []


@pytest.mark.ci
async def test_without_a_release_only_flaws_are_shown(editor: Editor) -> None:
    git(editor.folder, "tag", "-d", "v1.0.0")
    await editor.open(HEADER, INSERTED)
    assert editor.shown(HEADER) == []
    assert await editor.lenses(HEADER) == []
    git(editor.folder, "tag", "v1.0.0")
    await editor.save(HEADER)
    assert editor.shown(HEADER) == [(17, "ABI103 field-inserted"), _BUMP]


@pytest.mark.ci
async def test_a_baseline_that_cannot_be_read_is_told(editor: Editor) -> None:
    (editor.folder / HEADER).write_text(BOX.replace("int64_t width", "int64 width"))
    release(editor.folder, "v1.1.0")
    await editor.open(HEADER, BOX)
    (problem,) = editor.problems(HEADER)
    assert problem.severity == types.DiagnosticSeverity.Information
    assert problem.message.startswith("not compared with the baseline: unknown type name 'int64' (v1.1.0:")
    (editor.folder / "abigen.toml").write_text('baseline = "v1.0"\n')
    await editor.save(HEADER)
    (problem,) = editor.problems(HEADER)
    assert problem.message.startswith("not compared with the baseline: there is no git revision `v1.0`")


async def test_an_unsaved_text_counts_for_the_headers_that_include_it(editor: Editor) -> None:
    (editor.folder / "include/size.h").write_text("typedef int bx_size;\n")
    (editor.folder / "include/use.h").write_text('#include "size.h"\nbx_size bx_get(void);\n')
    await editor.open("include/size.h", "typedef int bx_length;\n")
    await editor.open("include/use.h")
    assert (1, "unknown type name 'bx_size'") in editor.shown("include/use.h")


async def test_a_change_counts_at_once_for_open_headers_that_include_it(editor: Editor) -> None:
    (editor.folder / "include/size.h").write_text("typedef int bx_size;\n")
    (editor.folder / "include/use.h").write_text('#include "size.h"\nbx_size bx_get(void);\n')
    await editor.open("include/size.h")
    await editor.open("include/use.h")
    await editor.change("include/size.h", "typedef int bx_length;\n")
    await editor.settle("include/use.h")
    assert (1, "unknown type name 'bx_size'") in editor.shown("include/use.h")
    editor.close("include/size.h")
    await editor.settle("include/use.h")
    assert (1, "unknown type name 'bx_size'") not in editor.shown("include/use.h")


async def test_a_flaw_of_an_included_file_is_shown_once(editor: Editor) -> None:
    (editor.folder / "abigen.toml").write_text('own = ["*.h"]\n')
    for name, other in (("a", "b"), ("b", "a")):
        guard = f"BX_{name.upper()}_H_"
        text = f'#ifndef {guard}\n#define {guard}\n#include "{other}.h"\nlong bx_{name}(void);\n#endif\n'
        (editor.folder / f"{name}.h").write_text(text)
    await editor.open("a.h")
    await editor.open("b.h")
    shown = [code for _, code in editor.shown("a.h")]
    assert len(shown) == len({(line, code) for line, code in editor.shown("a.h")})
    assert "ABI811 nonportable-type" in shown


async def test_a_moved_tag_leads_to_its_new_text(editor: Editor) -> None:
    await editor.open(HEADER, INSERTED)
    (editor.folder / HEADER).write_text("\n\n\n" + BOX)
    git(editor.folder, "commit", "-q", "-a", "-m", "more")
    git(editor.folder, "tag", "-f", "v1.0.0")
    editor.close(HEADER)
    await editor.open(HEADER, INSERTED)
    (related,) = editor.problems(HEADER)[0].related_information or ()
    old = Path(urlparse(related.location.uri).path).read_text()
    start, end = related.location.range.start, related.location.range.end
    assert old.split("\n")[start.line][start.character : end.character] == "BX_Box"


async def test_a_header_of_cpp_has_no_problems(editor: Editor) -> None:
    await editor.open("include/box.hpp.h", "#include <vector>\nclass Box {};\n", "cpp")
    assert editor.shown("include/box.hpp.h") == []
    await editor.change("include/box.hpp.h", "namespace box { int f(); }\n")
    assert editor.shown("include/box.hpp.h") == []
    await editor.open(HEADER, BOX.replace("int64_t width;", "int64 width;"), "cpp")
    assert editor.shown(HEADER) == [(16, "unknown type name 'int64'")]


async def test_a_new_file_without_a_text_on_disk_is_compared(editor: Editor) -> None:
    await editor.open("include/new.h", BOX)
    assert all(each.severity == types.DiagnosticSeverity.Information for each in editor.problems("include/new.h"))
    assert (await editor.lenses("include/new.h"))[0][1].startswith("ABI: MINOR since v1.0.0")


async def test_lenses_move_with_their_lines_while_the_text_cannot_be_read(editor: Editor) -> None:
    await editor.open(HEADER, INSERTED)
    line = INSERTED[: INSERTED.index("BX_Box {")].count("\n")
    assert [each[0] for each in await editor.lenses(HEADER)] == [0, line]
    await editor.change(HEADER, INSERTED.replace("#include <stddef.h>", "\n\n#include <stddef.h>\nint (;"))
    assert [each[0] for each in await editor.lenses(HEADER)] == [0, line + 3]


async def test_a_parameter_is_no_member_of_its_name(editor: Editor) -> None:
    await editor.open(HEADER, BOX.replace("void bx_open(BX_Box* box);", "void bx_open(int32_t height);"))
    assert await editor.hover(HEADER, "int32_t heig|ht)") == ""
    assert "void bx_open(int32_t height);" in await editor.hover(HEADER, "bx_op|en")
    assert "offset 24" in await editor.hover(HEADER, "BX_END(BX_Box, heig|ht")


async def test_documentation_below_the_pointer_is_no_markup(editor: Editor) -> None:
    await editor.open(HEADER, BOX.replace("A box.", "A ```` ![x](https://example.invalid/x.png) box."))
    assert "`````text\nA ```` ![x]" in await editor.hover(HEADER, "struct BX_|Box {")


async def test_a_closed_file_has_no_problems(editor: Editor) -> None:
    await editor.open(HEADER, INSERTED)
    assert editor.shown(HEADER) != []
    editor.close(HEADER)
    await editor.open(YAML)
    assert editor.shown(HEADER) == []


@pytest.mark.ci
async def test_only_the_newest_of_many_keystrokes_is_shown(editor: Editor) -> None:
    await editor.open(HEADER)
    for end in range(len(BOX) - 40, len(BOX)):
        editor.type(HEADER, BOX[:end])
    await editor.change(HEADER, INSERTED)
    assert editor.shown(HEADER) == [(17, "ABI103 field-inserted"), _BUMP]


async def test_the_pointer_shows_layout_and_release(editor: Editor) -> None:
    await editor.open(HEADER, INSERTED)
    targets = "(x86_64-linux-gnu, x86_64-apple-darwin, x86_64-windows-msvc)"
    shown = await editor.hover(HEADER, "struct BX_|Box {")
    assert shown.replace("Since v1.0.0.\n\n", "") == "\n\n".join(
        (
            "**struct BX_Box**",
            f"size 32 bytes, alignment 8, no padding {targets}",
            "```text\nA box. Set by core.\n```",
        )
    )
    assert "```c\nint64_t BX_Box.width;\n```" in await editor.hover(HEADER, "int64_t wid|th")
    assert f"offset 16, size 8 bytes {targets}" in await editor.hover(HEADER, "int64_t wid|th")
    assert "value 1" in await editor.hover(HEADER, "BX_MODE_FA|ST")
    assert "32 bytes, the end of BX_Box.height" in await editor.hover(HEADER, "BX_BOX_STRUCT_|SIZE")
    assert await editor.hover(HEADER, "type|def") == ""


async def test_padding_is_shown_on_each_target(editor: Editor) -> None:
    (editor.folder / "abigen.toml").write_text('targets = ["x86_64-linux-gnu", "i686-linux-gnu"]\n')
    text = BOX.replace("int64_t width;", "char tag;      /* 0 is no-op. */\n  int64_t width;")
    await editor.open(HEADER, text)
    shown = await editor.hover(HEADER, "char ta|g")
    assert "offset 16, size 1 byte, 7 bytes of padding after (x86_64-linux-gnu)" in shown
    assert "offset 8, size 1 byte, 3 bytes of padding after (i686-linux-gnu)" in shown
    shown = await editor.hover(HEADER, "struct BX_|Box {")
    assert "padding 7 bytes at offset 17, 4 bytes at the end (x86_64-linux-gnu)" in shown


@pytest.mark.ci
async def test_the_first_release_of_a_member_is_found_by_tags(editor: Editor) -> None:
    more = BOX.replace("} BX_Box;", "  int32_t depth; /* 0 is no-op. */\n} BX_Box;").replace("x, height", "x, depth")
    (editor.folder / HEADER).write_text(more)
    release(editor.folder, "v1.1.0")
    newest = more.replace("} BX_Box;", "  int32_t top; /* 0 is no-op. */\n} BX_Box;")
    await editor.open(HEADER, newest)
    for _ in range(200):
        if "Since" in await editor.hover(HEADER, "wid|th;"):
            break
        await asyncio.sleep(0.05)
    assert "Since v1.0.0." in await editor.hover(HEADER, "wid|th;")
    assert "Since v1.1.0." in await editor.hover(HEADER, "int32_t dep|th;")
    assert "In no release yet." in await editor.hover(HEADER, "int32_t to|p;")


async def test_a_fix_removes_its_problem(editor: Editor) -> None:
    await editor.open(HEADER, INSERTED)
    actions = await editor.actions(HEADER, "dep|th;")
    action = actions["Move depth after the last member"]
    assert (action.kind, action.is_preferred) == (types.CodeActionKind.QuickFix, True)
    await editor.change(HEADER, editor.after(HEADER, action))
    assert (19, "ABI806 size-macro-stale") not in editor.shown(HEADER)
    assert "ABI103 field-inserted" not in [code for _, code in editor.shown(HEADER)]


async def test_all_safe_fixes_can_be_made_at_once(editor: Editor) -> None:
    await editor.open(HEADER, INSERTED)
    for _ in range(4):
        actions = await editor.actions(HEADER, "#ifndef", types.CodeActionKind.SourceFixAll)
        if not actions:
            break
        await editor.change(HEADER, editor.after(HEADER, actions["Make all safe fixes of abigen"]))
    assert [code for _, code in editor.shown(HEADER)] == ["ABI001"] or all(
        each.severity == types.DiagnosticSeverity.Information for each in editor.problems(HEADER)
    )
    assert "#define BX_MINOR 1" in editor.texts[HEADER]
    assert "BX_END(BX_Box, depth)" in editor.texts[HEADER]


async def test_a_finding_can_be_accepted_with_a_reason(editor: Editor) -> None:
    await editor.open(HEADER, INSERTED)
    actions = await editor.actions(HEADER, "dep|th;")
    title = next(each for each in actions if each.startswith("Accept "))
    await editor.change(HEADER, editor.after(HEADER, actions[title]))
    assert "abigen: accept field-inserted" in editor.texts[HEADER]
    assert "ABI103 field-inserted" not in [code for _, code in editor.shown(HEADER)]


async def test_code_lenses_show_the_bump_of_each_changed_declaration(editor: Editor) -> None:
    text = BOX.replace("BX_MODE_FAST }", "BX_MODE_FAST, BX_MODE_SLOW }").replace(
        "#ifdef __cplusplus\n}", "void bx_close(BX_Box* box);\n#ifdef __cplusplus\n}"
    )
    await editor.open(HEADER, text)
    lenses = await editor.lenses(HEADER)
    assert lenses[0][1].startswith("ABI: MINOR since v1.0.0 (2 additions")
    assert any("function added" in title and title.startswith("ABI: MINOR since v1.0.0") for _, title in lenses[1:])
    command = types.ExecuteCommandParams("abigen.showReport", ["2 additions."])
    await editor.client.workspace_execute_command_async(command)
    assert [each.message for each in editor.client.messages] == ["2 additions."]


@pytest.mark.ci
async def test_half_written_text_never_stops_the_server(editor: Editor) -> None:
    await editor.open(HEADER)
    for end in range(0, len(INSERTED), 41):
        await editor.change(HEADER, INSERTED[:end])
        await editor.hover(HEADER, INSERTED[: end or 1][:0] or INSERTED[:0])
    await editor.change(HEADER, BOX)
    assert editor.shown(HEADER) == []
    assert editor.client.messages == []


async def test_other_files_are_left_alone(editor: Editor) -> None:
    (editor.folder / "ci.yaml").write_text("on: push\n")
    await editor.open("ci.yaml")
    assert editor.uri("ci.yaml") not in editor.client.diagnostics
    assert await editor.hover("ci.yaml", "on") == ""


async def test_errors_of_a_spec_are_shown_at_their_line(editor: Editor) -> None:
    await editor.open(YAML)
    assert [each for each in editor.problems(YAML) if each.severity == types.DiagnosticSeverity.Error] == []
    await editor.change(YAML, SPEC.replace("type: int32_t", "type: int32"))
    assert editor.shown(YAML) == [(16, "unknown type name 'int32'")]
    await editor.change(YAML, SPEC.replace("zero: no-op", "zero: noop"))
    assert editor.shown(YAML)[0][0] == 16


async def test_a_spec_is_compared_with_the_last_release(editor: Editor) -> None:
    await editor.open(YAML, SPEC.replace("      - {name: width, type: int32_t, zero: no-op}\n", ""))
    assert "ABI101 field-removed" in [code for _, code in editor.shown(YAML)]


async def test_keys_and_values_of_a_spec_are_suggested(editor: Editor) -> None:
    await editor.open(YAML)
    await editor.change(YAML, SPEC.replace("    doc: A box.\n", "    doc: A box.\n    si"))
    keys = await editor.complete(YAML, "    si|")
    assert "size_macro" in keys
    assert "doc" not in keys
    await editor.change(YAML, SPEC.replace("zero: no-op", "zero: "))
    assert await editor.complete(YAML, "zero: |") == ["no-op", "meaningful"]
    await editor.change(YAML, SPEC.replace("type: BX_Mode", "type: BX"))
    assert {"BX_Box", "BX_Mode", "int32_t"} <= {*await editor.complete(YAML, "type: BX|,")}
    await editor.change(YAML, SPEC.replace("doc: A box.", "doc: |\n      A bo"))
    assert await editor.complete(YAML, "A bo|") == []
    (editor.folder / "spec/other.yaml").write_text(SPEC)
    await editor.change(YAML, f"{SPEC}uses: [o]\n")
    assert await editor.complete(YAML, "uses: [o|") == ["other"]


async def test_a_key_of_a_spec_is_explained(editor: Editor) -> None:
    await editor.open(YAML)
    assert await editor.hover(YAML, "ze|ro: no-op") == (
        "**zero**: no-op, meaningful\n\nThe meaning of zero or NULL for the reader: none, or a value."
    )
    assert "value 1" in await editor.hover(YAML, "BX_MODE_FA|ST")


async def test_a_name_in_a_spec_leads_to_its_definition(editor: Editor) -> None:
    await editor.open(YAML)
    found = await editor.definition(YAML, "type: BX_|Mode")
    assert found is not None
    assert (found.uri, found.range.start) == (editor.uri(YAML), types.Position(8, 10))
    found = await editor.definition(YAML, "BX_B|ox* box")
    assert found is not None
    assert found.range.start == types.Position(13, 10)


async def test_the_manual_shows_what_the_server_sends(editor: Editor) -> None:
    page = (Path(__file__).parents[2] / "docs/editors.md").read_text()
    header = next(each for each in re.findall(r"```c\n(.*?)```", page, re.DOTALL) if "BX_Box" in each)
    texts = re.findall(r"```text\n(.*?)\n```", page, re.DOTALL)
    header = f"#pragma once\n#include <stddef.h>\n#include <stdint.h>\n{header}"
    (editor.folder / HEADER).write_text(
        "".join(each for each in header.splitlines(keepends=True) if "depth" not in each)
    )
    release(editor.folder, "v1.1.0")
    await editor.open(HEADER, header)
    problem = next(each for each in editor.problems(HEADER) if each.code == "ABI103 field-inserted")
    assert problem.message == texts[1]
    assert texts[2] in await editor.hover(HEADER, "int32_t heig|ht")
