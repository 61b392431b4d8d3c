#pragma once

#include <stdint.h>

static const char TOY_EXT_SOUND[] = "toy.sound/2";
static const char* const TOY_EXT_LIGHT = "toy" ".light";
static const uint32_t TOY_NO_ID = 0xFFFFFFFFu;
static const double TOY_SCALE = 0.25;
static const uint32_t TOY_MASK = sizeof(uint64_t) | 7;
static const struct { int major, minor; } TOY_BUILT = {1, 3};
static const int TOY_DEPTH = 7;
static const char TOY_EXT_SMOKE[] = "toy.smoke";
