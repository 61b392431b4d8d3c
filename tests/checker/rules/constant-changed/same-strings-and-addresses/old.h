// The same values otherwise written; and a call, which is no address. Should not trigger.
#ifndef EXAMPLE_SAME_STRINGS_AND_ADDRESSES_H_
#define EXAMPLE_SAME_STRINGS_AND_ADDRESSES_H_

#include <stddef.h>
#include <stdint.h>

typedef struct toy_st* Toy;
int toy_get(int index);
#define TOY_URI "http://example.org/toys"
#define TOY_BALL TOY_URI "#ball"
#define TOY_NOBODY ((Toy)-1)
#define TOY_FIRST (toy_get)(1)

#endif  // EXAMPLE_SAME_STRINGS_AND_ADDRESSES_H_
