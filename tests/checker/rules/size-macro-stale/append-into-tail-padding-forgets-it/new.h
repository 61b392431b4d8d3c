// The same where sizeof would not have moved either: 24 before and after. Should trigger.
#ifndef GAUGE_H_
#define GAUGE_H_

#include <stddef.h>
#include <stdint.h>

#define GAUGE_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))
#define GAUGE_TRAITS(sname, last) \
  typedef struct sname sname;     \
  enum { sname##_STRUCT_SIZE = GAUGE_END(sname, last) }

struct Gauge {
  size_t struct_size;
  void* owner;
  int32_t channel;
  uint32_t flags;  // 0 is no-op.
};
GAUGE_TRAITS(Gauge, channel);

#endif  // GAUGE_H_
