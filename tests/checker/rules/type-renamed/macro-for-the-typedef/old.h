// A macro stands for the typedef that went, another typedef comes back through it. Should not trigger.
#ifndef EXAMPLE_MACRO_FOR_THE_TYPEDEF_H_
#define EXAMPLE_MACRO_FOR_THE_TYPEDEF_H_

typedef struct Toy {
  int weight;
} Toy;
typedef struct Box Box;

int toy_weigh(const Toy* toy, Box* box);

#endif  // EXAMPLE_MACRO_FOR_THE_TYPEDEF_H_
