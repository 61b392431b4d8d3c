#pragma once

#include <stdint.h>

#define TOY_DEPTH 7

static const char TOY_EXT_SOUND[] = "toy.sound";
static const char* const TOY_EXT_LIGHT = "toy.light";
static const uint32_t TOY_NO_ID = UINT32_MAX;
static const double TOY_SCALE = 0.5;
static const int TOY_GONE = 3;
static const uint32_t TOY_MASK = sizeof(uint32_t) | TOY_DEPTH;
static const struct { int major, minor; } TOY_BUILT = {1, 2};
