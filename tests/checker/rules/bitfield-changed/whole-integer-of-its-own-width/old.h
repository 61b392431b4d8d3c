#ifndef EXAMPLE_WHOLE_INTEGER_OF_ITS_OWN_WIDTH_H_
#define EXAMPLE_WHOLE_INTEGER_OF_ITS_OWN_WIDTH_H_

#include <stddef.h>
#include <stdint.h>

typedef struct RadioFrame {
  size_t struct_size;
  uint32_t channel;
  uint32_t power;
} RadioFrame;

#endif  // EXAMPLE_WHOLE_INTEGER_OF_ITS_OWN_WIDTH_H_
