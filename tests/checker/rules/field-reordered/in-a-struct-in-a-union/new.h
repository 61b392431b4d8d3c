// A union's alternative is a struct without a name; its members have an order.
#ifndef WORD_H_
#define WORD_H_

#include <stdint.h>

union Word {
  uint64_t value;
  struct {
    uint16_t high;
    uint16_t low;
  };
};

#endif  // WORD_H_
