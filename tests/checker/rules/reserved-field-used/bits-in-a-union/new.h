// Bits of a word that can be had as a whole; some that were kept free are in use now.
#ifndef SOURCE_H_
#define SOURCE_H_

#include <stdint.h>

union Source {
  uint64_t value;
  struct {
    uint64_t level : 46;
    uint64_t region : 5;  // 0 is no-op.
    uint64_t mem_rsvd : 13;
  };
};

#endif  // SOURCE_H_
