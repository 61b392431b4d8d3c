// A table's elements are of a larger struct now, so that the second one lies elsewhere; the other table's are as large as before.
#ifndef MODES_H_
#define MODES_H_

#include <stdint.h>

typedef struct Mode { uint16_t lex, external; } Mode;
typedef struct Wide { uint16_t lex, external, words; } Wide;
typedef struct Pair { uint16_t first, second; } Pair;
struct Language {
  const Wide* modes;
  const Pair* pairs;
};

#endif  // MODES_H_
