// Structs stand below a condition that C++ meets, too, and a class in one of its own. Should not trigger.
#ifndef EXAMPLE_BRACES_THAT_CPP_READS_H_
#define EXAMPLE_BRACES_THAT_CPP_READS_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int weight;
} Toy;

int toy_weigh(const Toy* toy);
int toy_count(void);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_BRACES_THAT_CPP_READS_H_
