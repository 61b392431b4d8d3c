// Tags that are called as their typedefs get other names, or go. Should trigger.
#ifndef EXAMPLE_TAG_OF_THE_TYPEDEFS_NAME_H_
#define EXAMPLE_TAG_OF_THE_TYPEDEFS_NAME_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy { int weight; } Toy;
typedef union Value { int i; float f; } Value;
typedef enum Mode { MODE_A, MODE_B } Mode;
struct Box;
int toy_weigh(const Toy* toy, Mode mode, Value* value, struct Box* box);

#endif  // EXAMPLE_TAG_OF_THE_TYPEDEFS_NAME_H_
