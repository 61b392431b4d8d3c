// Strings that are put together from macros, and numbers that are cast to pointers. Should trigger.
#ifndef EXAMPLE_STRINGS_OF_MACROS_AND_ADDRESSES_H_
#define EXAMPLE_STRINGS_OF_MACROS_AND_ADDRESSES_H_

#include <stddef.h>
#include <stdint.h>

typedef struct toy_st* Toy;
#define TOY_TEXT_(x) #x
#define TOY_TEXT(x) TOY_TEXT_(x)
#define TOY_URI "http://example.org/toys"
#define TOY_BALL TOY_URI "#ball"
#define TOY_FILE "toys." TOY_TEXT(2)
#define TOY_TRANSIENT ((void (*)(void*))-1)
#define TOY_NOBODY ((Toy)(intptr_t)-1)
#define TOY_CARD ((const struct toy_st*)0x10)

#endif  // EXAMPLE_STRINGS_OF_MACROS_AND_ADDRESSES_H_
