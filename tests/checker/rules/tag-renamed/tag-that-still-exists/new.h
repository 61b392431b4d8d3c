// A struct has another typedef first, and its tag stays; a typedef hides the tag of an opaque one. Should not trigger.
#ifndef EXAMPLE_TAG_THAT_STILL_EXISTS_H_
#define EXAMPLE_TAG_THAT_STILL_EXISTS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy Plaything;
struct Toy { int weight; };
typedef Plaything Toy;
typedef struct BoxTag Box;
int toy_weigh(const Toy* toy, Box* box);

#endif  // EXAMPLE_TAG_THAT_STILL_EXISTS_H_
