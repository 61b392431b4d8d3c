// The constant gets a regular name; plugins that use the old one no longer compile. Should trigger, once.
#ifndef GAUGE_H_
#define GAUGE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct FlowGauge {
  size_t struct_size;
  int64_t channel;
} FlowGauge;

#define FLOWGAUGE_STRUCT_SIZE (offsetof(FlowGauge, channel) + sizeof(((FlowGauge*)0)->channel))

#endif  // GAUGE_H_
