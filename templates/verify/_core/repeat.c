// Routines of calls, which threads run again and again, with nothing of core's in between that would take time or
// memory: so races show, and so does what a call leaves behind. It is compiled into the library that plugins link
// against, behind that one's own includes.
#include <time.h>

enum { ARGUMENTS = 10 };
enum { AS_IT_IS, WHAT_IS_THERE, STATUS };
enum { ANYTHING, ZERO, NOT_ZERO };

struct call {
  long (*function)(long, long, long, long, long, long, long, long, long, long);
  long values[ARGUMENTS];
  int kinds[ARGUMENTS];
  long* result;  // Where what it returns goes, or NULL.
  long mask;     // Which bits of that there are.
  int wanted;
  int code;   // What the first status says that is not zero.
  long wrong; // How often the result is not what is wanted, or the status not zero.
};

struct thread {
  struct call* calls;
  long count;
  long done;  // Rounds.
  long rounds;
  double seconds;
  pthread_barrier_t* together;
};

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void run_call(struct call* call) {
  long given[ARGUMENTS], result, *status = NULL;
  for (int at = 0; at < ARGUMENTS; at++) {
    given[at] = call->kinds[at] == WHAT_IS_THERE ? *(long*)call->values[at] : call->values[at];
    if (call->kinds[at] == STATUS) *(int*)(status = (long*)given[at]) = 0;
  }
  result = call->function(given[0], given[1], given[2], given[3], given[4], given[5], given[6], given[7], given[8],
                          given[9]) & call->mask;
  if (call->result) *call->result = result;
  if (status && *(int*)status && !call->code) call->code = *(int*)status;
  call->wrong += (status && *(int*)status) || (call->wanted != ANYTHING && (result == 0) != (call->wanted == ZERO));
}

static void* run_thread(void* argument) {
  struct thread* self = argument;
  if (self->together) pthread_barrier_wait(self->together);
  // A busy machine gives threads little time; then they go on for longer.
  double least = now(CLOCK_MONOTONIC) + self->seconds, most = least + 4 * self->seconds;
  double enough = now(CLOCK_PROCESS_CPUTIME_ID) + self->seconds;
  for (; self->done < self->rounds; self->done++) {
    double time = now(CLOCK_MONOTONIC);
    if (time > most || (time > least && now(CLOCK_PROCESS_CPUTIME_ID) > enough)) break;
    for (long at = 0; at < self->count; at++) run_call(&self->calls[at]);
  }
  return NULL;
}

void abigen_verify_repeat(struct thread* threads, long count, long rounds, double seconds) {
  pthread_barrier_t together;
  pthread_t started[64];
  pthread_barrier_init(&together, NULL, (unsigned)count);
  for (long at = 0; at < count; at++) {
    threads[at].rounds = rounds;
    threads[at].seconds = seconds;
    threads[at].together = count > 1 ? &together : NULL;
  }
  if (count == 1) run_thread(threads);
  for (long at = 0; count > 1 && at < count; at++)
    if (pthread_create(&started[at], NULL, run_thread, &threads[at])) abort();
  for (long at = 0; count > 1 && at < count; at++) pthread_join(started[at], NULL);
  pthread_barrier_destroy(&together);
}

static long claimed[4096];

static long* claim_of(long handle) {
  return &claimed[((unsigned long)handle * 0x9e3779b97f4a7c15ul) >> 52];
}

// Zero, unless somebody has the same already, or it is nothing. There is no lock, which would keep threads apart.
long abigen_verify_claim(long handle) {
  return !handle || __sync_val_compare_and_swap(claim_of(handle), 0, handle) == handle;
}

void abigen_verify_give_up(long handle) {
  __sync_bool_compare_and_swap(claim_of(handle), handle, 0);
}

void abigen_verify_count(long* number, void* status) {
  (void)status;
  __sync_fetch_and_add(number, 1);
}
