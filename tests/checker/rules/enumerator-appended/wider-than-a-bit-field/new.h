// Two bits hold four values; a fifth one fits where there are three. Should trigger, and say so for the first only.
#pragma once

enum Mode { MODE_A, MODE_B, MODE_C, MODE_D, MODE_E };
typedef enum Kind { KIND_A, KIND_B, KIND_C, KIND_D, KIND_E } Kind;
struct State { enum Mode mode : 2; Kind kind : 3; };

void api_set(const struct State* state);
