// A qualifier of the parameter itself is the callee's own affair (C11 6.7.6.3p15). Should not trigger.
#ifndef TP_EVENTS_H_
#define TP_EVENTS_H_

#include <stddef.h>

typedef struct SP_Event_st* SP_Event;

typedef struct SP_EventFns {
  size_t struct_size;
  void* ext;
  void (*wait)(void* const device, SP_Event const event);
  void (*record)(void* device, SP_Event event);
} SP_EventFns;

#endif  // TP_EVENTS_H_
