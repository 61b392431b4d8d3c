// Almost keywords, a member with one underscore, a macro that is undefined again. Should not trigger.
#ifndef WORDS_H_
#define WORDS_H_

#include <stdint.h>

#define _WORDS_FIELD(name) int32_t name

typedef struct Words {
  _WORDS_FIELD(klass);
  _WORDS_FIELD(memset);
  int32_t _private;
} Words;

#undef _WORDS_FIELD

#ifdef __cplusplus
extern "C" {
#endif

int32_t words_new(const Words* words, int32_t new_);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // WORDS_H_
