// The size is a number, which stays as the struct grows. Should trigger.
#ifndef EXAMPLE_NUMBER_THAT_STAYS_H_
#define EXAMPLE_NUMBER_THAT_STAYS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy { size_t struct_size; int64_t a; } Toy;
#define TOY_STRUCT_SIZE 16

#endif  // EXAMPLE_NUMBER_THAT_STAYS_H_
