// Words of C++, of common compilers, and of the implementation. Should trigger for each.
#ifndef WORDS_H_
#define WORDS_H_

#include <stdint.h>

#define _WORDS_LIMIT 3

typedef struct Words {
  int32_t class;
  int32_t count;
  int32_t __hidden;
} Words;

#ifdef __cplusplus
extern "C" {
#endif

int32_t words__find(const Words* words, int32_t new);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // WORDS_H_
