// What these sizes are the sizes of nothing says; the configuration can (`size-field`).
#pragma once

#include <stdint.h>

typedef unsigned int DWORD;

typedef struct ToyBlob {
  DWORD cbSize;
  int how;
} ToyBlob;

typedef struct ToyList {
  uint32_t struct_length_limit;
  int how;
} ToyList;

int toy_do(const ToyBlob* blob, const ToyList* list);
