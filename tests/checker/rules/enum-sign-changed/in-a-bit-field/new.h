// A bit-field has the type: the bits of a value that both sides know have another meaning. Should trigger as a break.
#pragma once

enum Mode { MODE_OFF, MODE_ON, MODE_AUTO, MODE_NONE = -1 };
struct State { enum Mode mode : 2; unsigned rest : 30; };

void api_set(const struct State* state);
