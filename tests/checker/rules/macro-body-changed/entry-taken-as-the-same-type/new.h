// The cast is written otherwise: names of parameters, a typedef, a qualifier. Should not be MAJOR.
#ifndef EXAMPLE_ENTRY_TAKEN_AS_THE_SAME_TYPE_H_
#define EXAMPLE_ENTRY_TAKEN_AS_THE_SAME_TYPE_H_

#include <stddef.h>
#include <stdint.h>

typedef int32_t toy_id;
extern void** ToyAPI;
#define Toy_Make (*(void* (*)(int32_t id, unsigned count, const char* name))ToyAPI[1])

#endif  // EXAMPLE_ENTRY_TAKEN_AS_THE_SAME_TYPE_H_
