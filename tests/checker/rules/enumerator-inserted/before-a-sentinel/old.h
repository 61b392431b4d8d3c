// Only the sentinel moves, and it may. Should not trigger.
#ifndef PRIORITY_H_
#define PRIORITY_H_

typedef enum Priority {
  PRIORITY_LOW,
  PRIORITY_HIGH,
  PRIORITY_COUNT
} Priority;

void priority_set(Priority priority);

#endif  // PRIORITY_H_
