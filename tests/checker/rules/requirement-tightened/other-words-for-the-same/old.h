#ifndef EXAMPLE_OTHER_WORDS_FOR_THE_SAME_H_
#define EXAMPLE_OTHER_WORDS_FOR_THE_SAME_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it. Required.
  void (*close)(void);  // [Optional] Closes it.
} FontFns;

#endif  // EXAMPLE_OTHER_WORDS_FOR_THE_SAME_H_
