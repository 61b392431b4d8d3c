// What core implements of robot.h and signal.h.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/robot.h"

struct SIG_Status {
  SIG_Kind kind;
  char message[200];
};
struct RB_Belt {
  int length;
  char failure[200];
};

int live_statuses = 0;
int live_belts = 0;

int LiveStatuses(void) { return live_statuses; }
int LiveBelts(void) { return live_belts; }

SIG_Status* SIG_New(void) {
  ++live_statuses;
  return calloc(1, sizeof(SIG_Status));
}
void SIG_Delete(SIG_Status* status) {
  --live_statuses;
  free(status);
}
void SIG_Set(SIG_Status* s, SIG_Kind kind, const char* message) {
  s->kind = kind;
  (void)snprintf(s->message, sizeof(s->message), "%s", message);
}
SIG_Kind SIG_Code(const SIG_Status* s) { return s->kind; }
const char* SIG_Message(const SIG_Status* s) { return s->message; }

RB_Belt* RB_NewBelt(int length) {
  RB_Belt* const belt = calloc(1, sizeof(RB_Belt));
  ++live_belts;
  belt->length = length;
  return belt;
}
void RB_DeleteBelt(RB_Belt* belt) {
  --live_belts;
  free(belt);
}
int RB_BeltLength(const RB_Belt* belt, SIG_Status* status) {
  if (belt->length < 0) {
    SIG_Set(status, SIG_JAMMED, "the belt is too short");
  }
  return belt->length;
}
void RB_SplitBelt(RB_Belt* belt, RB_Belt** left, RB_Belt** right) {
  *left = RB_NewBelt(belt->length / 2);
  *right = RB_NewBelt(belt->length - belt->length / 2);
}
void RB_Join(RB_Belt* belt) { RB_DeleteBelt(belt); }
int RB_Count(void (*step)(int at, void* arg), int to, void* arg) {
  int at;
  for (at = 0; at < to; ++at) {
    step(at, arg);
  }
  return at;
}
int RB_Log(char* to, size_t size, const char* format, ...) {
  va_list arguments;
  int length;
  va_start(arguments, format);
  length = vsnprintf(to, size, format, arguments);
  va_end(arguments);
  return length;
}
int RB_Half(int n) { return n / 2; }

void RB_Range(int n, int* low, int* high) {
  *low = -n;
  *high = n;
}
void RB_BeltFailed(RB_Belt* belt, SIG_Status* status) {
  (void)snprintf(belt->failure, sizeof(belt->failure), "%d: %s",
                 (int)SIG_Code(status), SIG_Message(status));
}
const char* RB_BeltFailure(const RB_Belt* belt) {
  return belt != NULL ? belt->failure : "no belt";
}
int RB_Link(RB_Belt* first_belt, RB_Belt* second_belt, RB_Belt* third_belt,
            RB_Robot* function) {
  return first_belt->length + second_belt->length + third_belt->length +
         function->ordinal;
}
int RB_Stretch(RB_Belt* belt, RB_Point by) {
  return belt->length += (int)by.x;
}
void RB_Work(RB_Belt* belt, void* (*begin)(RB_Belt* belt),
             void (*step)(void* job, RB_Belt* belt, int at),
             void (*end)(void* job)) {
  void* const job = begin != NULL ? begin(belt) : NULL;
  int at;
  for (at = 0; at < 3; ++at) {
    step(job, belt, at);
  }
  if (end != NULL) {
    end(job);
  }
}
