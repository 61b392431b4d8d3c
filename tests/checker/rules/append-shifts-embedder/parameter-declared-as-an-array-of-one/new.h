// An array of one element is a pointer to one object; an array of pointers holds none. Should not trigger.
#ifndef EXAMPLE_PARAMETER_DECLARED_AS_AN_ARRAY_OF_ONE_H_
#define EXAMPLE_PARAMETER_DECLARED_AS_AN_ARRAY_OF_ONE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy { size_t struct_size; int64_t a; int64_t b; } Toy;
void toy_play(Toy toy[1], Toy* other, Toy* const toys[2]);

#endif  // EXAMPLE_PARAMETER_DECLARED_AS_AN_ARRAY_OF_ONE_H_
