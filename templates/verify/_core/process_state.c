// What belongs to the whole process, or to the thread that calls: core looks at it before and after each call of a
// plugin's. It is compiled into the library that plugins link against, behind that one's own includes.
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

extern char** environ;

// Plugins are called by several threads at once, and each call looks before and after.
static _Thread_local char* text_of_state;
static _Thread_local size_t room_of_state;

static void add_state(const char* name, unsigned long value) {
  int written = snprintf(text_of_state, room_of_state, "%s=%lx\n", name, value);
  if (written > 0 && (size_t)written < room_of_state) {
    text_of_state += written;
    room_of_state -= (size_t)written;
  }
}

static unsigned long sum_of(const void* bytes, size_t size) {
  unsigned long sum = 14695981039346656037ul;
  for (size_t at = 0; at < size; at++) sum = (sum ^ ((const unsigned char*)bytes)[at]) * 1099511628211ul;
  return sum;
}

static unsigned long denormal_numbers(void) {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & 0x8040u;
#elif defined(__aarch64__)
  unsigned long control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control & (1ul << 24);
#else
  return 0;
#endif
}

static void add_signals(void) {
  unsigned long handlers = 0, blocked = 0;
  sigset_t set;
  sigemptyset(&set);
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  for (int number = 1; number < 32; number++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigaction(number, NULL, &action);
    handlers += sum_of(&action.sa_handler, sizeof action.sa_handler) * (unsigned long)number;
    blocked |= (unsigned long)(sigismember(&set, number) == 1) << number;
  }
  add_state("the handlers of signals", handlers);
  add_state("the signals that are blocked", blocked);
}

static void add_files(void) {
  const char* const names[] = {"what standard input leads to", "what standard output leads to",
                               "what standard error leads to"};
  char folder[4096] = "";
  mode_t mask = umask(0);
  umask(mask);
  add_state("the mask for new files", mask);
  add_state("the current folder", getcwd(folder, sizeof folder) ? sum_of(folder, strlen(folder)) : 0);
  for (int file = 0; file < 3; file++) {
    struct stat found;
    memset(&found, 0, sizeof found);
    add_state(names[file], fstat(file, &found) ? 0 : (unsigned long)found.st_ino * 31 + (unsigned long)found.st_dev + 1);
  }
}

void abigen_verify_state(char* text, size_t room) {
  unsigned long variables = 0, limits = 0;
  struct itimerval left;
  siginfo_t child;
  text_of_state = text;
  room_of_state = room;
  add_state("the rounding of floating point numbers", (unsigned long)fegetround());
  add_state("what becomes of denormal numbers", denormal_numbers());
  add_signals();
  add_files();
  getitimer(ITIMER_REAL, &left);
  add_state("a timer that will send SIGALRM", left.it_value.tv_sec || left.it_value.tv_usec);
  for (char** each = environ; each && *each; each++) variables += sum_of(*each, strlen(*each));
  add_state("the environment", variables);
  add_state("the locale", sum_of(setlocale(LC_ALL, NULL), strlen(setlocale(LC_ALL, NULL))));
  for (int kind = 0; kind < 16; kind++) {
    struct rlimit limit;
    if (getrlimit(kind, &limit) == 0) limits += sum_of(&limit, sizeof limit) * (unsigned long)(kind + 1);
  }
  add_state("the limits of resources", limits);
  add_state("the priority", (unsigned long)getpriority(PRIO_PROCESS, 0));
#if defined(__linux__)
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) == 0)
    add_state("the processors that may be used", sum_of(&processors, sizeof processors));
#endif
  add_state("child processes", waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0);
  fflush(NULL);
}
