// Ends of lists that grow with what came; what stands behind them does not count. Should not trigger.
#pragma once

typedef enum { KIND_A, KIND_B, KIND_COUNT, KIND_NONE = -1 } Kind;
enum Part { PART_ARM, PART_LEG, PART_MAX = PART_LEG, PART_FOOT = PART_LEG, PART_MAX_ENUM = 0x7FFFFFFF };
#define PART_LIMIT (PART_MAX + 1)
enum Level { LEVEL_MIN, LEVEL_LOW, LEVEL_MAX /* Keep last. */ };
enum Empty { EMPTY_COUNT };

int api_set(Kind kind, enum Part part, enum Level level, enum Empty empty);
