// The old name stays as another name for the new one: everything still compiles. Should not break anything.
#ifndef TXC_H_
#define TXC_H_

#include <stdint.h>

typedef struct {
  int32_t device_type;
  int32_t device_id;
} TXDevice;

typedef TXDevice TXContext;

void tx_select(TXDevice device);

#endif  // TXC_H_
