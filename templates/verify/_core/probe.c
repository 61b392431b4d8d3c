// What every plugin has that `abigen verify --host` makes: it tells of calls, and guards structs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static long long dummy_room[512];
static void* const dummy = dummy_room;
static struct { char* begin; const char* name; } guards[256];
static int guard_count;

static void say(const char* kind, const char* name) {
  char line[600];
  const char* path = getenv("ABIGEN_PROBE");
  int file = path ? open(path, O_WRONLY | O_APPEND) : -1;
  if (file < 0) return;
  int length = snprintf(line, sizeof line, "%s %s\n", kind, name);
  if (write(file, line, (size_t)length) < 0) abort();
  close(file);
}

static void touched(int number, siginfo_t* info, void* context) {
  const char* kind = "reads";
#ifdef __x86_64__
  if (((ucontext_t*)context)->uc_mcontext.gregs[REG_ERR] & 2) kind = "writes";
#endif
  for (int i = 0; i < guard_count; ++i) {
    char* at = (char*)info->si_addr;
    if (at >= guards[i].begin && at < guards[i].begin + 4096) say(kind, guards[i].name);
  }
  signal(number, SIG_DFL);
}

static char* own(size_t size, size_t alignment, const char* name, void (*fill)(char*)) {
  if (guard_count == 256) return NULL;
  size_t room = (size + 4095) / 4096 * 4096;
  char* memory = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + room, 4096, PROT_NONE);
  guards[guard_count].begin = memory + room;
  guards[guard_count++].name = name;
  struct sigaction action = {.sa_sigaction = touched, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
  char* made = memory + (room - size) / alignment * alignment;
  memset(made, 0, size);
  *(size_t*)made = size;
  fill(made);
  return made;
}

static void refuse(const char* setter, void* status, int code) {
  void (*set)(void*, int, const char*) = (void (*)(void*, int, const char*))dlsym(RTLD_DEFAULT, setter);
  if (set) set(status, code, "this plugin is of another MAJOR");
}
