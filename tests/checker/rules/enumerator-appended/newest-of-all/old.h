#pragma once

typedef enum toy_version {
  TOY_VERSION_1_0 = 0x10000,
  TOY_VERSION_1_1 = 0x10001,
  TOY_VERSION_LATEST = TOY_VERSION_1_1,
  TOY_VERSION_FORCE_UINT32 = 0x7fffffff,
} toy_version;

typedef enum toy_flag {
  TOY_FLAG_FAST = 1 << 0,
  TOY_FLAG_LOUD = 1 << 31,
} toy_flag;

enum toy_part { TOY_PART_ARM, TOY_PART_LEG, TOY_LAST_PART = TOY_PART_LEG };

/* Sounds like an end, and is none. */
enum toy_speed { TOY_SPEED_MIN = 1, TOY_SPEED_MAX_SAFE = 5, TOY_SPEED_ANY = 9 };

int toy_open(toy_version version, toy_flag flags, enum toy_part part, enum toy_speed speed);
