// What belongs to the whole process, or to the thread that calls: core looks at it before and after each call of a
// plugin's. It is compiled into the library that plugins link against, behind that one's own includes.
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#if defined(__linux__)
#include <stdio_ext.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#endif

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

static void add_numbers(void) {
  add_state("the rounding of floating point numbers", (unsigned long)fegetround());
  add_state("what becomes of denormal numbers", denormal_numbers());
#if defined(__GLIBC__)
  add_state("the floating point exceptions that end the process", (unsigned long)fegetexcept());
#endif
#if defined(__x86_64__)
  unsigned short control;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  add_state("the precision of floating point numbers", control & 0x300u);
#endif
}

static void add_signals(void) {
  unsigned long handlers = 0, blocked = 0;
  sigset_t set;
  stack_t stack;
  sigemptyset(&set);
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    if (sigaction(number, NULL, &action) == 0)
      handlers += (sum_of(&action.sa_handler, sizeof action.sa_handler) + (unsigned)action.sa_flags) * (unsigned)number;
    blocked = blocked << 1 | (sigismember(&set, number) == 1);
  }
  add_state("the handlers of signals", handlers);
  add_state("the signals that are blocked", blocked);
  memset(&stack, 0, sizeof stack);
  if (sigaltstack(NULL, &stack) == 0) add_state("the stack of signal handlers", (unsigned long)stack.ss_sp);
}

static void add_timers(void) {
  unsigned long running = 0;
  for (int kind = 0; kind < 3; kind++) {
    struct itimerval left;
    if (getitimer(kind, &left) == 0) running += (left.it_value.tv_sec || left.it_value.tv_usec) << kind;
  }
#if defined(__linux__)
  char text[4096];
  int file = open("/proc/self/timers", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, text, sizeof text);
  for (ssize_t at = 0; at + 3 < length; at++) running += (memcmp(text + at, "ID: ", 4) == 0) * 8ul;
  if (file >= 0) close(file);
#endif
  add_state("a timer that will send a signal", running);
}

// What the kernel has been told of the thread and the process.
static void add_kernel(void) {
  add_state("the priority", (unsigned long)getpriority(PRIO_PROCESS, 0) * 31 + (unsigned long)sched_getscheduler(0));
#if defined(__linux__)
  const int asked[] = {PR_GET_DUMPABLE, PR_GET_KEEPCAPS, PR_GET_TIMERSLACK, PR_GET_NO_NEW_PRIVS, PR_GET_SECUREBITS};
  char name[16] = "";
  int number = 0;
  unsigned long told = (unsigned long)personality(0xffffffffu);
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) == 0)
    add_state("the processors that may be used", sum_of(&processors, sizeof processors));
  prctl(PR_GET_NAME, name);
  add_state("the name of the thread", sum_of(name, strnlen(name, sizeof name)));
  prctl(PR_GET_PDEATHSIG, &number);
  for (size_t at = 0; at < sizeof asked / sizeof *asked; at++)
    told = told * 1099511628211ul + (unsigned long)prctl(asked[at], 0, 0, 0, 0);
  add_state("what prctl has set", told + (unsigned long)number * 31);
#endif
}

static void add_thread(void) {
  int state, type;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_setcancelstate(state, NULL);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  pthread_setcanceltype(type, NULL);
  add_state("whether the thread can be cancelled", (unsigned long)state * 31 + (unsigned long)type);
  add_state("the locale", sum_of(setlocale(LC_ALL, NULL), strlen(setlocale(LC_ALL, NULL)))
                              + (unsigned long)uselocale((locale_t)0));
}

// umask() tells by changing it, which other threads can meet.
static unsigned long mask_for_files(void) {
#if defined(__linux__)
  char text[512] = "";
  const char* found;
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  found = length > 0 ? strstr(text, "\nUmask:") : NULL;
  if (found != NULL) return strtoul(found + 7, NULL, 8);
#endif
  mode_t mask = umask(0);
  umask(mask);
  return mask;
}

static void add_files(void) {
  const char* const names[] = {"what standard input leads to", "what standard output leads to",
                               "what standard error leads to"};
  char folder[4096] = "";
  unsigned long modes = 0;
  add_state("the mask for new files", mask_for_files());
  add_state("the current folder", getcwd(folder, sizeof folder) ? sum_of(folder, strlen(folder)) : 0);
  for (int file = 0; file < 3; file++) {
    struct stat found;
    memset(&found, 0, sizeof found);
    add_state(names[file], fstat(file, &found) ? 0 : (unsigned long)found.st_ino * 31 + (unsigned long)found.st_dev + 1);
    modes = modes * 31 + (unsigned long)(fcntl(file, F_GETFL) & O_NONBLOCK);
  }
#if defined(__GLIBC__)
  FILE* const texts[] = {stdout, stderr};
  for (size_t at = 0; at < 2; at++)
    modes = modes * 31 + (__flbf(texts[at]) ? 3u : 0u) + (__fbufsize(texts[at]) == 1 ? 1u : 0u);
#endif
  add_state("how standard input, output and error wait", modes);
}

void abigen_verify_state(char* text, size_t room) {
  unsigned long variables = 0, limits = 0;
  siginfo_t child;
  text_of_state = text;
  room_of_state = room;
  add_numbers();
  add_signals();
  add_files();
  add_timers();
  for (char** each = environ; each && *each; each++) variables += sum_of(*each, strlen(*each));
  add_state("the environment", variables);
  for (int kind = 0; kind < 16; kind++) {
    struct rlimit limit;
    if (getrlimit(kind, &limit) == 0) limits += sum_of(&limit, sizeof limit) * (unsigned long)(kind + 1);
  }
  add_state("the limits of resources", limits);
  add_kernel();
  add_thread();
  add_state("child processes", waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0);
  fflush(NULL);
}
