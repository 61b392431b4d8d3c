// Nothing but words about the struct changes. Should not trigger.
#ifndef METER_H_
#define METER_H_

#include <stddef.h>
#include <stdint.h>

// A meter.
typedef struct Meter {
  size_t struct_size;
  int64_t value;
} Meter;

#endif  // METER_H_
