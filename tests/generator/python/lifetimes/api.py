"""An API that has each kind of value in each kind of container, and the core that reads all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KINDS: Mapping[str, tuple[str, str, str]] = {
    "text": ("const char*", "const char* const*", "bytes(value, strlen(value))"),
    "memory": ("const void*", "const void* const*", "bytes(value, 3000)"),
    "numbers": ("const int32_t*", "const int32_t* const*", "bytes(value, 3000)"),
    "pointer": ("const KP_Leaf*", "const KP_Leaf* const*", "bytes(value->text, strlen(value->text))"),
    "leaf": ("KP_Leaf", "const KP_Leaf*", "bytes(value.text, strlen(value.text))"),
    "call": ("KP_Call", "const KP_Call*", "value(1)"),
    "tree": ("KP_Tree", "const KP_Tree*", "tree(value)"),
}
"""Kind of value to its type, to what points to several, and to the C that reads one."""
ARGUMENTS = {"tree": "const KP_Tree*"}
"""Types of arguments where they differ; cffi passes no union by value."""


def spec() -> dict[str, Any]:
    """Return the specification."""

    def struct(name: str, *fields: tuple[str, str], **more: Any) -> dict[str, Any]:
        members = [{"name": name, "type": type} for name, type in fields]
        for each in members:
            each.update({"count": "n"} if each["name"] == "several" else {})
        return {"name": name, "versioned": False, "fields": members, **more}

    structs = [
        struct("KP_Leaf", ("text", "const char*"), ("number", "int64_t")),
        struct("KP_Any", ("text", "const char*"), ("leaf", "KP_Leaf"), ("number", "int64_t"), kind="union"),
        struct(
            "KP_Tree",
            *(("leaf", "KP_Leaf"), ("any", "KP_Any"), ("pair", "KP_Leaf[2]"), ("several", "const char* const*")),
            *(("n", "size_t"), ("next", "const KP_Tree*")),
        ),
    ]
    functions = []
    for kind, (type, several, _) in KINDS.items():
        structs += [
            struct(f"KP_In_{kind}", ("number", "int64_t"), ("member", type)),
            struct(f"KP_Or_{kind}", ("number", "int64_t"), ("member", type), ("bytes", "uint8_t[3]"), kind="union"),
            struct(
                f"KP_Box_{kind}",
                *(("member", type), ("pair", f"{type}[2]"), ("several", several), ("n", "size_t")),
                *(("inside", f"KP_In_{kind}"), ("either", f"KP_Or_{kind}"), ("next", f"KP_Box_{kind}*")),
            ),
            struct(f"KP_Case_{kind}", ("box", f"KP_Box_{kind}"), ("boxes", f"KP_Box_{kind}[2]")),
        ]
        box = f"KP_Box_{kind}*"
        functions += [
            {"name": f"KP_Read_{kind}", "type": f"int64_t ({ARGUMENTS.get(kind, type)} value)"},
            {"name": f"KP_Same_{kind}", "type": f"{box} ({box} box)"},
            {"name": f"KP_Inside_{kind}", "type": f"KP_In_{kind}* ({box} box)"},
            {"name": f"KP_Room_{kind}", "type": f"{box} (void)"},
        ]
        if kind not in ARGUMENTS:
            functions.append({"name": f"KP_Copy_{kind}", "type": f"KP_In_{kind} (KP_In_{kind} one)"})
    return {
        "abigen": 1,
        "api": "keep",
        "prefix": "KP",
        "conventions": {"errors": {"negative_errno": True}},
        "callbacks": [{"name": "KP_Call", "type": "int64_t (*)(int64_t times)"}],
        "structs": structs,
        "functions": [{**each, "implemented_by": "core"} for each in functions],
    }


def core() -> str:
    """Return the core in C."""
    lines = [
        "#include <stdlib.h>",
        "#include <string.h>",
        '#include "keep.h"',
        "static int64_t bytes(const void* from, size_t size) {",
        "  int64_t sum = 0;",
        "  size_t at;",
        "  for (at = 0; at < size; ++at) { sum += ((const unsigned char*)from)[at]; }",
        "  return sum;",
        "}",
        "static int64_t string(const char* text) { return text == NULL ? 0 : bytes(text, strlen(text)); }",
        "static int64_t tree(const KP_Tree* it) {",
        "  int64_t sum = string(it->leaf.text) + string(it->any.leaf.text) + string(it->pair[1].text);",
        "  size_t at;",
        "  for (at = 0; at < it->n; ++at) { sum += string(it->several[at]); }",
        "  return sum + (it->next == NULL ? 0 : tree(it->next));",
        "}",
        "int64_t Used(void) { return string(NULL) + tree(&(KP_Tree){.n = 0}); }",
    ]
    for kind, (type, _, read) in KINDS.items():
        box, inside = f"KP_Box_{kind}", f"KP_In_{kind}"
        lines += [
            f"int64_t KP_Read_{kind}({ARGUMENTS.get(kind, type)} value) {{ return {read}; }}",
            f"{box}* KP_Same_{kind}({box}* box) {{ return box; }}",
            f"KP_In_{kind}* KP_Inside_{kind}({box}* box) {{ return &box->inside; }}",
            f"{inside} KP_Copy_{kind}({inside} one) {{ return one; }}" if kind not in ARGUMENTS else "",
            f"{box}* KP_Room_{kind}(void) {{ return calloc(1, sizeof({box})); }}",
        ]
    return "\n".join(lines) + "\n"
