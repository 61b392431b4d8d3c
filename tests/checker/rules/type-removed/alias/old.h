// Another name for a struct that stays goes: binaries do not know names, code that says it does not compile.
#ifndef TX_ALIAS_H_
#define TX_ALIAS_H_
#include <stdint.h>

typedef struct {
  int32_t kind;
  int32_t index;
} TXDevice;

// The name that TXDevice had; to be removed.
typedef TXDevice TXContext;

#endif  // TX_ALIAS_H_
