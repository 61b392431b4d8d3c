"""Validators against every required member of real specs: each that is missing is named, and nothing else is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.generator.c_checks.validators import Validator, Validators
from abigen.generator.publication import Publication
from abigen.model.api import Api
from abigen.specs.spec_reader import read_spec
from abigen.workspace.options import ReadOptions, SourceFile
from tests.generator.build.building import REPOSITORY
from tests.generator.c_checks.building import SANITIZED, SPEC, WARNINGS, Generated, compiled, run, shipped

_OPTIONS = ReadOptions(targets=("x86_64-linux-gnu",), cache=False)

_HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "{include}"

static const char* missing = "";
static const char* release = "";

static void see(const {prefix}_Finding* finding, void* context) {{
  ++*(int*)context;
  if (finding->is_error) {{
    missing = finding->member;
    release = finding->release;
  }}
}}

typedef struct Member {{
  const char* name;
  size_t offset;
  size_t size;
  const char* since;
  const char* text; /* What it points to where that has to match something. */
}} Member;

static void set(unsigned char* bytes, const Member* member) {{
  memset(bytes + member->offset, 1, member->size);
  if (member->text != NULL) memcpy(bytes + member->offset, &member->text, sizeof(member->text));
}}
"""

_SURVIVES = """
static void {function}_survives(void) {{
  size_t size;
  for (size = sizeof(size_t); size < sizeof({type}) + 16; ++size) {{
    unsigned char* const bytes = (unsigned char*)calloc(1, size);
    int told = 0;
    if (bytes == NULL) return;
    memcpy(bytes, &size, sizeof(size));
    (void){function}(({type}*)(void*)bytes{others}, see, &told);
    free(bytes);
  }}
}}
"""

_TEXT = '"X"'
"""The texts that match the patterns of the shipped specs."""

_STRUCT = """
static int {function}_holds(size_t size, const char* step) {{
  static const Member members[] = {{
{members}
    {{"", 0, 0, "", NULL}},
  }};
  size_t at;
  int told = 0;
  int seen = 0;
  unsigned char* const bytes = (unsigned char*)malloc(size); /* not a byte more, so that a sanitizer sees overruns */
  {type}* const object = ({type}*)(void*)bytes;
  if (bytes == NULL) return 2;
  memset(bytes, 1, size);
  memcpy(bytes, &size, sizeof(size));
{absent}
  for (at = 0; members[at].size != 0; ++at) {{
    if (members[at].offset + members[at].size <= size) set(bytes, &members[at]);
  }}
  if ({function}(object{others}, see, &told) != 0) return printf("{type} of %s is refused\\n", step);
  for (at = 0; members[at].size != 0; ++at) {{
    if (members[at].offset + members[at].size > size) continue;
    memset(bytes + members[at].offset, 0, members[at].size);
    if ({function}(object{others}, see, &told) != 1 || strcmp(missing, members[at].name) != 0 ||
        strcmp(release, members[at].since) != 0) {{
      return printf("{type}.%s of %s is not missed\\n", members[at].name, step);
    }}
    set(bytes, &members[at]);
    ++seen;
  }}
  printf("{type} %s %d\\n", step, seen);
  free(bytes);
  return 0;
}}
"""


def _validators(spec: Path) -> tuple[Api, tuple[Validator, ...]]:
    api = read_spec(SourceFile(spec.name, str(spec), spec.read_text()), _OPTIONS).groups[0].api
    return api, Validators(Publication(api, "", "")).all


def _program(spec: Path, checks: str) -> str:
    api, validators = _validators(spec)
    assert api.header is not None
    text = _HEAD.format(include=checks, prefix=api.header.prefix)
    calls = ""
    for each in validators:
        if not each.steps:
            continue
        others = ", NULL" * len(each.given)
        text += _SURVIVES.format(function=each.function, type=each.type, others=others)
        calls += f"  {each.function}_survives();\n"
        if each.nested:
            continue
        members = "\n".join(
            f'    {{"{member.field.name}", offsetof({each.type}, {member.field.name}), '
            f'sizeof((({each.type}*)0)->{member.field.name}), "{member.since}", '
            f"{_TEXT if member.field.pattern else 'NULL'}}},"
            for member in each.members
            if member.required and not member.required_when
        )
        absent = "\n".join(
            f"  if (offsetof({each.type}, {name}) + sizeof(object->{name}) <= size) "
            f"memset(bytes + offsetof({each.type}, {name}), 0, sizeof(object->{name}));"
            for name in (member.field.name for member in each.members if member.forbidden_when)
        )
        text += _STRUCT.format(function=each.function, type=each.type, members=members, others=others, absent=absent)
        for step in each.steps:
            size = f"offsetof({each.type}, {step.last}) + sizeof((({each.type}*)0)->{step.last})"
            calls += f'  wrong |= {each.function}_holds({size}, "{step.release}");\n'
    return f"{text}\nint main(void) {{\n  int wrong = 0;\n{calls}  return wrong != 0;\n}}\n"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("spec", "checks", "source", "at_least"),
    [
        (SPEC / "lamp.yaml", "lamp/lamp_checks.h", "lamp/lamp", 9),
        *(
            (
                REPOSITORY / "spec" / group / "stream_executor.yaml",
                "tensorflow/c/experimental/stream_executor/stream_executor_checks.h",
                "tensorflow/c/experimental/stream_executor/stream_executor",
                40,
            )
            for group in ("rfc", "tensorflow")
        ),
    ],
    ids=["lamp", "rfc", "tensorflow"],
)
def test_every_missing_member_is_named_and_nothing_beyond_the_size_is_read(
    spec: Path, checks: str, source: str, at_least: int, generated: Generated, tmp_path: Path
) -> None:
    made = shipped(spec.parent.name) if spec.parent.name in ("rfc", "tensorflow") else generated
    (tmp_path / "try.c").write_text(_program(spec, checks))
    program = tmp_path / "try"
    files = [tmp_path / "try.c", *made.linked(source)]
    if made is not generated:  # what the core has of its own
        (tmp_path / "status.c").write_text(
            '#include "tensorflow/c/tf_status.h"\n'
            "void TF_SetStatus(TF_Status* s, TF_Code c, const char* m) { (void)s, (void)c, (void)m; }\n"
            "TF_Code TF_GetCode(const TF_Status* s) { (void)s; return TF_OK; }\n"
            'const char* TF_Message(const TF_Status* s) { (void)s; return ""; }\n'
        )
        files.append(tmp_path / "status.c")
    options = ("-std=c11", *WARNINGS, *SANITIZED, *made.include)
    assert compiled("gcc", *options, *files, "-ldl", "-o", program) == ""
    done = run(program)
    assert (done.code, done.stderr) == (0, ""), done.stdout
    assert sum(int(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines()) >= at_least


REAL = """
    create_device destroy_device create_stream_executor destroy_stream_executor create_timer_fns destroy_timer_fns
    create_device_fns destroy_device_fns nanoseconds allocate deallocate get_allocator_stats host_memory_allocate
    host_memory_deallocate device_memory_usage create_stream destroy_stream create_stream_dependency get_stream_status
    create_event destroy_event get_event_status record_event wait_for_event create_timer destroy_timer start_timer
    stop_timer memcpy_dtoh memcpy_htod sync_memcpy_dtoh sync_memcpy_htod block_host_for_event synchronize_all_activity
    host_callback mem_zero memset memset32 name type destroy_platform destroy_platform_fns
"""
"""The members that TensorFlow's own checks in stream_executor.cc require, in one release or another."""


def test_whatever_tensorflow_insists_on_is_required() -> None:
    _, validators = _validators(REPOSITORY / "spec/tensorflow/stream_executor.yaml")
    required = {member.field.name for each in validators for member in each.members if member.required}
    assert set(REAL.split()) <= required
    conditional = {member.field.name for each in validators for member in each.members if member.required_when}
    assert conditional == {"unified_memory_allocate", "unified_memory_deallocate"}


def test_a_required_member_stays_required_while_it_is_deprecated(tmp_path: Path) -> None:
    spec = tmp_path / "api.yaml"
    spec.write_text(
        "abigen: 1\napi: api\nversion: 1.1.0\n"
        "conventions: {leading_fields: [size_t struct_size], filled_by: {XP_: plugin}}\n"
        "structs:\n- name: XP_Thing\n  fields:\n"
        "  - {name: old, type: void*, required: true, deprecated: {since: 1.1.0, use: fresh}}\n"
        "  - {name: idle, type: void*, deprecated: {since: 1.1.0}}\n"
        "  - {name: plain, type: void*}\n"
        "  - {name: fresh, type: void*, since: 1.1.0, required: true, zero: no-op}\n"
    )
    (validator,) = _validators(spec)[1]
    told = {each.field.name: (each.required, each.deprecated) for each in validator.members}
    assert told == {"old": (True, False), "idle": (False, True), "fresh": (True, False)}
