// Unnamed bits move the named ones behind them.
#ifndef FLAGS_H_
#define FLAGS_H_

#include <stddef.h>
#include <stdint.h>


typedef struct Flags {
  uint32_t ready : 1;
  uint32_t : 7;
  uint32_t mode : 4;
} Flags;

#endif  // FLAGS_H_
