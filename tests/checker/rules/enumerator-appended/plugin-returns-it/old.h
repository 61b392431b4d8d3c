// The plugin returns the status and an older core reads it: a newer plugin is the one at risk.
#ifndef TP_EVENT_H_
#define TP_EVENT_H_

#include <stddef.h>

typedef struct SP_Event_st* SP_Event;

typedef enum SE_EventStatus {
  SE_EVENT_UNKNOWN,
  SE_EVENT_PENDING,
  SE_EVENT_COMPLETE
} SE_EventStatus;

typedef struct SP_EventFns {
  size_t struct_size;
  void* ext;
  SE_EventStatus (*get_event_status)(SP_Event event);
} SP_EventFns;

#endif  // TP_EVENT_H_
