// Typedefs of a struct, an enumeration and an opaque struct go; their tags stay. Should trigger.
#ifndef EXAMPLE_ONLY_THE_TAG_STAYS_H_
#define EXAMPLE_ONLY_THE_TAG_STAYS_H_

typedef struct Toy {
  int weight;
} Toy;
typedef enum Mode { MODE_A, MODE_B } Mode;
typedef struct Box Box;

int toy_weigh(const Toy* toy, Mode mode, Box* box);

#endif  // EXAMPLE_ONLY_THE_TAG_STAYS_H_
