// The same entries of a table are cast to other types. Should trigger, at MAJOR.
#ifndef EXAMPLE_ENTRY_TAKEN_AS_ANOTHER_TYPE_H_
#define EXAMPLE_ENTRY_TAKEN_AS_ANOTHER_TYPE_H_

#include <stddef.h>
#include <stdint.h>

extern void** ToyAPI;
#define Toy_Make (*(void* (*)(int, long long))ToyAPI[1])
#define Toy_Best (*(double*)ToyAPI[2])
#define Toy_Call(x) ((int (*)(double))ToyAPI[3])(x)

#endif  // EXAMPLE_ENTRY_TAKEN_AS_ANOTHER_TYPE_H_
