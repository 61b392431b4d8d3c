// Functions become macros, and a macro becomes a function. Should trigger for the symbol that is gone.
#pragma once

#define api_size(kind) ((kind) + 1)
int api_kind(int number);
#define api_kind(number) api_kind((number) + 0)
#define api_half(number) ((number) / 2)
int api_count(int kind);
