// Functions become macros, and a macro becomes a function. Should trigger for the symbol that is gone.
#pragma once

int api_size(int kind);
int api_kind(int number);
static inline int api_half(int number) { return number / 2; }
#define api_count(kind) ((kind) + 1)
