// C++ does not put integers into enumerations. Should trigger.
#ifndef EXAMPLE_INTEGER_BECOMES_AN_ENUMERATION_H_
#define EXAMPLE_INTEGER_BECOMES_AN_ENUMERATION_H_

typedef enum GearIndex { GEAR_FIRST = 1, GEAR_LAST = 5 } GearIndex;

void gear_shift(GearIndex gear);

#endif  // EXAMPLE_INTEGER_BECOMES_AN_ENUMERATION_H_
