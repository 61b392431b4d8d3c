"""Small headers to judge: a first release, and what may become of it."""

from __future__ import annotations

FIRST = """\
#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#include <stdint.h>

#define TOY_MAJOR 1
#define TOY_MINOR 0
#define TOY_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#define TOY_END(T, m) (offsetof(T, m) + sizeof(((T *)0)->m))

typedef struct SP_Toy {
  size_t struct_size;
  void* ext;
  int32_t ordinal;  // Index of the toy.
  void (*play)(struct SP_Toy* toy, int32_t speed);
} SP_Toy;
#define SP_TOY_STRUCT_SIZE TOY_END(SP_Toy, play)

void SE_UseToy(SP_Toy* toy);

#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
"""

APPENDED = FIRST.replace("speed);\n}", "speed);\n  int64_t depth;  // 0 is no-op.\n}").replace(
    "TOY_END(SP_Toy, play)", "TOY_END(SP_Toy, depth)"
)
"""A member more at the end, as it should be, without a new version."""

RELEASED = APPENDED.replace("TOY_MINOR 0", "TOY_MINOR 1")
"""The same with the version that it needs."""

INSERTED = FIRST.replace("  int32_t ordinal;", "  int64_t depth;\n  int32_t ordinal;")
"""A member in the middle."""
