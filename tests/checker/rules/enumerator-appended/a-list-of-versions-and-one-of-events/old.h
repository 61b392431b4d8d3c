// The latest version, and the highest event among some that begin and some that end things.
#ifndef TRACE_H_
#define TRACE_H_

enum {
  TRACE_VERSION_1 = 0x30010000,
  TRACE_VERSION_9 = 0x30090000,
  TRACE_VERSION = 0x30000000 + (11 * 0x10000) + 2
};

typedef enum TraceEvent {
  TRACE_MIN_EVENT_VAL = 50,
  TRACE_EVENT_THREAD_START = 50,
  TRACE_EVENT_THREAD_END = 51,
  TRACE_MAX_EVENT_VAL = 51
} TraceEvent;

#endif  // TRACE_H_
