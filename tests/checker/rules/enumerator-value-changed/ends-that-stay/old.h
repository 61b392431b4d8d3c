// The same values with other expressions, a last one that is gone with its list, and one that is new. Should not trigger.
#pragma once

enum Part { PART_ARM, PART_LEG, PART_MAX = 1 };
enum Kind { KIND_A = 1, KIND_LIMIT = 4 };
enum { API_NAME_MAX = 32 };
int api_set(enum Part part, enum Kind kind);
