// The typedef is the cause; the members it reaches are named below it, not beside it.
#ifndef NOTIFY_H_
#define NOTIFY_H_

#include <stddef.h>
#include <stdint.h>

typedef void (*NotifyFn)(void* user, int32_t code, const char* message);

typedef struct NotifyArgs {
  size_t struct_size;
  NotifyFn on_done;
  NotifyFn on_error;
  void* user;
} NotifyArgs;

void notify_register(NotifyFn notify, void* user);

#endif  // NOTIFY_H_
