// The size is a number that follows the struct; the size at a release stays. Should not trigger.
#ifndef EXAMPLE_NUMBER_THAT_FOLLOWS_H_
#define EXAMPLE_NUMBER_THAT_FOLLOWS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy { size_t struct_size; int64_t a; int64_t b; } Toy;
#define TOY_STRUCT_SIZE 24
#define TOY_STRUCT_SIZE_VER0 16

#endif  // EXAMPLE_NUMBER_THAT_FOLLOWS_H_
