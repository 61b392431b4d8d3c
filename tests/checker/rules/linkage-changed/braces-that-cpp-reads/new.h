// Structs stand below a condition that C++ meets, too, and a class in one of its own. Should not trigger.
#ifndef EXAMPLE_BRACES_THAT_CPP_READS_H_
#define EXAMPLE_BRACES_THAT_CPP_READS_H_

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
typedef struct {
  int weight;
} Toy;
#else
typedef struct {
  long weight;
} Toy;
#endif

int toy_weigh(const Toy* toy);

#ifdef __cplusplus
}

class Shelf {
 public:
  int count() { return 1; }
};

extern "C" {
#endif

int toy_count(void);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_BRACES_THAT_CPP_READS_H_
