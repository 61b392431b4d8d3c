// The typedef that a handle points to hides another tag. Should not trigger.
#ifndef EXAMPLE_HANDLE_TO_A_TYPEDEFS_OTHER_TAG_H_
#define EXAMPLE_HANDLE_TO_A_TYPEDEFS_OTHER_TAG_H_

#include <stddef.h>
#include <stdint.h>

typedef struct toy_impl ToyObject;
typedef ToyObject* Toy;
int toy_play(Toy toy);

#endif  // EXAMPLE_HANDLE_TO_A_TYPEDEFS_OTHER_TAG_H_
