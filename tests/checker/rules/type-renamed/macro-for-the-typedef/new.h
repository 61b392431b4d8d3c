// A macro stands for the typedef that went, another typedef comes back through it. Should not trigger.
#ifndef EXAMPLE_MACRO_FOR_THE_TYPEDEF_H_
#define EXAMPLE_MACRO_FOR_THE_TYPEDEF_H_

struct Toy {
  int weight;
};
#define Toy struct Toy
struct Box;
typedef struct Box Parcel;
typedef Parcel Box;

int toy_weigh(const Toy* toy, struct Box* box);

#endif  // EXAMPLE_MACRO_FOR_THE_TYPEDEF_H_
