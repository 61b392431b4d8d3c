#ifndef EXAMPLE_INTEGER_BECOMES_AN_ENUMERATION_H_
#define EXAMPLE_INTEGER_BECOMES_AN_ENUMERATION_H_

#include <stdint.h>

typedef int32_t GearIndex;
#define GEAR_FIRST 1
#define GEAR_LAST 5

void gear_shift(GearIndex gear);

#endif  // EXAMPLE_INTEGER_BECOMES_AN_ENUMERATION_H_
