// The same values with other expressions, a last one that is gone with its list, and one that is new. Should not trigger.
#pragma once

enum Part { PART_ARM, PART_LEG, PART_MAX = PART_LEG, PART_COUNT };
enum Kind { KIND_A = 0x1, KIND_LIMIT = 1 << 2 };
enum { API_NAME_MAX = 0x20 };
int api_set(enum Part part, enum Kind kind);
