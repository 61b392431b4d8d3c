// Parameters are declared as arrays: the elements move. Should trigger.
#ifndef EXAMPLE_PARAMETER_DECLARED_AS_AN_ARRAY_H_
#define EXAMPLE_PARAMETER_DECLARED_AS_AN_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy { size_t struct_size; int64_t a; int64_t b; } Toy;
void toy_play(const Toy toys[2]);
typedef struct Box { size_t struct_size; int64_t a; int64_t b; } Box;
typedef Box Boxes[4];
typedef struct Fns { void (*pack)(Boxes boxes); } Fns;

#endif  // EXAMPLE_PARAMETER_DECLARED_AS_AN_ARRAY_H_
