// The values behind it shift: consequences of the one removal.
#ifndef TP_EVENT_H_
#define TP_EVENT_H_

typedef enum SE_EventStatus {
  SE_EVENT_UNKNOWN,
  SE_EVENT_ERROR,
  SE_EVENT_PENDING,
  SE_EVENT_COMPLETE,
} SE_EventStatus;

SE_EventStatus SE_PollEvent(void* event);

#endif  // TP_EVENT_H_
