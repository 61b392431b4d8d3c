// Three constants are formed in one way and a fourth in another. Should trigger as a note.
#ifndef TP_FNS_H_
#define TP_FNS_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct TP_DeviceFns {
  size_t struct_size;
  void* (*create)(void);
} TP_DeviceFns;
#define TP_DEVICE_FNS_STRUCT_SIZE TP_OFFSET_OF_END(TP_DeviceFns, create)

typedef struct TP_TimerFns {
  size_t struct_size;
  uint64_t (*now)(void);
} TP_TimerFns;
#define TP_TIMER_FNS_STRUCT_SIZE TP_OFFSET_OF_END(TP_TimerFns, now)

typedef struct TP_StreamExecutor {
  size_t struct_size;
  void (*wait)(void* stream);
} TP_StreamExecutor;
#define TP_STREAMEXECUTOR_STRUCT_SIZE TP_OFFSET_OF_END(TP_StreamExecutor, wait)

typedef struct TP_EventFns {
  size_t struct_size;
  void (*record)(void* event);
} TP_EventFns;
#define TP_EVENT_FNS_STRUCT_SIZE TP_OFFSET_OF_END(TP_EventFns, record)

#endif  // TP_FNS_H_
