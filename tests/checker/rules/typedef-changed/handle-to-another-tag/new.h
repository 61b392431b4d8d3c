// A handle points to an opaque struct of another tag. Should trigger, at MINOR.
#ifndef EXAMPLE_HANDLE_TO_ANOTHER_TAG_H_
#define EXAMPLE_HANDLE_TO_ANOTHER_TAG_H_

#include <stddef.h>
#include <stdint.h>

typedef struct toy_impl* Toy;
int toy_play(Toy toy, void (*done)(Toy toy));

#endif  // EXAMPLE_HANDLE_TO_ANOTHER_TAG_H_
