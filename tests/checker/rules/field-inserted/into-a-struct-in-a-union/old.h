// A union's alternative is a struct without a name; what comes into its middle moves what is behind it.
#ifndef WORD_H_
#define WORD_H_

#include <stdint.h>

union Word {
  uint64_t value;
  struct {
    uint16_t low;
    uint16_t high;
  };
};

#endif  // WORD_H_
