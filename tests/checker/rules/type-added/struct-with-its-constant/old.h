// New types are additions; the constant of the new struct's size comes with it.
#ifndef TP_STATS_H_
#define TP_STATS_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_TimerFns {
  size_t struct_size;
  uint64_t (*nanoseconds)(void* timer);
} SP_TimerFns;

#define SP_TIMER_FNS_STRUCT_SIZE TP_OFFSET_OF_END(SP_TimerFns, nanoseconds)

#endif  // TP_STATS_H_
