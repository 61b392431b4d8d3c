// The same marks at another place of the comment. Should not trigger.
#ifndef EXAMPLE_OTHER_WORDS_FOR_THE_SAME_H_
#define EXAMPLE_OTHER_WORDS_FOR_THE_SAME_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Required. Opens it.
  void (*close)(void);  // Closes it. Optional.
} FontFns;

#endif  // EXAMPLE_OTHER_WORDS_FOR_THE_SAME_H_
