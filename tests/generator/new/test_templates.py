"""Templates decide what a scaffold is: languages and bodies of one's own need nothing but files."""

from __future__ import annotations

from pathlib import Path

from tests.generator.new.projects import SPEC, TENSORFLOW, abigen, attempt, new

_LANGUAGE = {
    "project/src/lib.rs.j2": "{% for each in project.tables %}\n// {{ each.struct }}\n{% endfor %}\n",
    "project/Cargo.toml.j2": '[package]\nname = "{{ project.identity.dashed }}"\n',
    "callbacks.rs.j2": "use super::*;\n",
    "callback.j2": (
        "{{ function.begin() }}\n/// {{ function.doc }}\nextern fn {{ function.name }}("
        "{{ function.parameters | map(attribute='name') | join(', ') }}) {}\n{{ function.end }}\n"
    ),
}
"""A language that abigen does not know."""


def _write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_a_language_is_a_folder_of_templates(tmp_path: Path) -> None:
    templates = tmp_path / "templates"
    _write(templates / "new" / "ruby", _LANGUAGE)
    project = new(tmp_path / "p", "Bear", "toybox", "--templates", templates, language="ruby")
    assert (project / "Cargo.toml").read_text() == '[package]\nname = "bear"\n'
    code = (project / "src" / "callbacks.rs").read_text()
    assert code.startswith("use super::*;\n")
    assert "/// Required. Destroys it.\nextern fn bear_destroy(toy) {}" in code
    assert (project / "generated" / "include" / "toybox.h").exists()


def test_an_unknown_language_is_updated_like_any_other(tmp_path: Path) -> None:
    templates = tmp_path / "templates"
    _write(templates / "new" / "ruby", _LANGUAGE)
    project = new(tmp_path / "p", "Bear", "toybox@1.0.0", "--templates", templates, language="ruby")
    code = project / "src" / "callbacks.rs"
    code.write_text(code.read_text().replace("(toy) {}", "(toy) { mine }", 1))
    run = abigen("new", "--update", project, "--templates", templates, "--spec-dir", SPEC)
    assert run.code == 0, run.stderr
    assert "(toy) { mine }" in code.read_text()
    assert "extern fn bear_play(toy, times) {}" in code.read_text()


def test_a_file_of_ones_own_takes_the_place_of_abigens(tmp_path: Path) -> None:
    own = {
        "new/c/project/.gitignore.j2": '{% extends "abigen:new/c/project/.gitignore.j2" %}',
        "new/c/project/LICENSE.j2": "Ours\n",
    }
    project = new(tmp_path / "p", "Bear", "toybox", "--templates", _write(tmp_path / "templates", own))
    assert "/build/" in (project / ".gitignore").read_text()
    assert (project / "LICENSE").read_text() == "Ours\n"


def test_bodies_of_an_api_are_templates_under_its_name(tmp_path: Path) -> None:
    body = (
        '{% import "new/c/macros.j2" as c with context %}\n#include "plugin.h"\n'
        '{% call c.function(project, "TP_ToyFns.destroy") %}\n  // Gone.\n{% endcall %}\n'
    )
    own = {"new/api/toybox/c/project/src/toys.c.j2": body}
    project = new(tmp_path / "p", "Bear", "toybox", "--templates", _write(tmp_path / "templates", own))
    assert "void bear_destroy(TP_Toy toy) {\n  (void)toy;\n  // Gone.\n}" in (project / "src" / "toys.c").read_text()
    assert "bear_destroy" not in (project / "src" / "callbacks.c").read_text()


def test_a_mistake_in_a_template_is_shown_at_its_line(tmp_path: Path) -> None:
    templates = _write(tmp_path / "templates", {"new/c/project/notes.txt.j2": "one\n{{ project.nothing }}\n"})
    run = attempt(tmp_path / "p", "Bear", "toybox", "--templates", templates)
    assert run.code == 2
    assert "notes.txt.j2:2:1: error: template" in run.stderr
    assert not (tmp_path / "p").exists()


def test_a_wrong_list_of_features_is_refused(tmp_path: Path) -> None:
    features = {f"new/api/{TENSORFLOW}/features.yaml": "kernels: [tensorflow/kernels]\n"}
    run = attempt(tmp_path / "p", "XPU", TENSORFLOW, "--templates", _write(tmp_path / "templates", features))
    assert run.code == 2
    assert "features.yaml: 'kernels' needs a doc, and a list of specs" in run.stderr
