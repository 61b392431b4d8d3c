"""Running `abigen import`, and what it has written."""

from __future__ import annotations

import yaml

from tests.cli.program import Program, Result

HEADER = """\
// What a filter is.
#ifndef FILTER_H_
#define FILTER_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_MAJOR 1
#define FL_MINOR 4
#define FL_PATCH 2

#define FL_LONGEST 64
#define FL_TITLE "filter"
#define FL_LARGER(a, b) ((a) > (b) ? (a) : (b))

/* A stream of samples. */
typedef struct FL_Stream_st* FL_Stream;
typedef struct FL_Bank FL_Bank;

typedef uint32_t FL_Id;
typedef void (*FL_Done)(void* user, int32_t code);

// How loud it is.
typedef enum FL_Level {
  FL_LEVEL_LOW,       // Hardly.
  FL_LEVEL_HIGH = 7,
} FL_Level;

typedef union FL_Value {
  int64_t whole;
  double real;
} FL_Value;

typedef struct FL_Point {
  float x, y;
  char name[16];
} FL_Point;

// What a plugin offers.
typedef struct FL_Filter {
  size_t struct_size;
  void* ext;
  const char* name;                                       // Required.
  uint32_t loud : 1;
  uint32_t rest : 5;
  FL_Level (*level)(const FL_Bank* bank, FL_Id id);       // Deprecated since 1.4. Use `process`.
  void (*process)(FL_Stream stream, const float* samples, size_t num_samples);  // Since 1.2. NULL is no-op.
} FL_Filter;
#define FL_FILTER_STRUCT_SIZE (offsetof(FL_Filter, process) + sizeof(((FL_Filter*)0)->process))

typedef struct FL_Host {
  size_t struct_size;
  void* ext;
  FL_Value (*ask)(const char* question);
} FL_Host;
#define FL_HOST_STRUCT_SIZE (offsetof(FL_Host, ask) + sizeof(((FL_Host*)0)->ask))

// Fills a filter.
int FL_Init(FL_Filter* filter, const FL_Host* host, FL_Done done);

#ifdef __cplusplus
}
#endif

#endif
"""
"""A header with something of each kind that a spec has."""


def spec_of(abigen: Program, name: str = "filter") -> dict[str, object]:
    """Return a spec that was written."""
    document: dict[str, object] = yaml.safe_load((abigen.directory / f"spec/{name}.yaml").read_text())
    return document


def imported(abigen: Program, *arguments: str) -> Result:
    """Run it; it may fail, but not by a mistake of its own."""
    result = abigen("import", *arguments)
    assert "Traceback" not in result.remarks
    return result


def names_of(items: object) -> list[str]:
    """Return the names of a list of entities."""
    assert isinstance(items, list)
    return [each["name"] for each in items]
