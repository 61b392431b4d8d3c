// Typedefs of a struct, an enumeration and an opaque struct go; their tags stay. Should trigger.
#ifndef EXAMPLE_ONLY_THE_TAG_STAYS_H_
#define EXAMPLE_ONLY_THE_TAG_STAYS_H_

struct Toy {
  int weight;
};
enum Mode { MODE_A, MODE_B };
struct Box;

int toy_weigh(const struct Toy* toy, enum Mode mode, struct Box* box);

#endif  // EXAMPLE_ONLY_THE_TAG_STAYS_H_
