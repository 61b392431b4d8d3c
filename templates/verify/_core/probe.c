// What every plugin has that `abigen verify --host` makes: it tells of calls, and guards structs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static char* dummy;
static struct { char* begin; const char* name; } guards[256];
static int guard_count;

// What every handle points to, and whatever the host asks memory for: it may write there, and nobody reads it.
__attribute__((constructor)) static void make_dummy(void) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  dummy = mmap(NULL, (size_t)1 << 32, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static void say(const char* kind, const char* name) {
  char line[600];
  const char* path = getenv("ABIGEN_PROBE");
  int file = path ? open(path, O_WRONLY | O_APPEND) : -1;
  if (file < 0) return;
  int length = snprintf(line, sizeof line, "%s %s\n", kind, name);
  if (write(file, line, (size_t)length) < 0) abort();
  close(file);
}

static struct { const char* type; int ended; } handles[4096];
static int handle_count;

// A handle that nobody else has been given. What it points to is the host's to write, as for `dummy`.
static void* made(const char* type) {
  int number = __sync_fetch_and_add(&handle_count, 1);
  if (number >= 4096) return dummy;
  handles[number].type = type;
  return dummy + 64 * (number + 1L);
}

// Tells what is wrong with a handle that a function is called with.
static void use(const char* name, void* handle, const char* type, int ends, int nullable) {
  char text[300];
  long at = ((char*)handle - dummy) / 64 - 1;
  const char* what = NULL;
  if (handle == dummy) return;  // There are more than it can tell apart.
  if (!handle) what = nullable ? NULL : "with NULL for";
  else if (at < 0 || at >= handle_count || at >= 4096 || (char*)handle != dummy + 64 * (at + 1))
    what = "with what the plugin has never given out as";
  else if (strcmp(handles[at].type, type)) what = "with a handle of another kind for";
  else if (handles[at].ended) what = "with a handle that has been destroyed for";
  else if (ends) handles[at].ended = 1;
  if (!what) return;
  snprintf(text, sizeof text, "%s %s %s", name, what, type);
  say("misuse", text);
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

static void store(void* place, size_t size, long long number) {
  memcpy(place, &number, size);
}

struct wanted { const char* name; void* found; };

// Python loads libraries in such a way that their functions are in no common table: each is asked by itself.
static int look(struct dl_phdr_info* library, size_t size, void* context) {
  struct wanted* wanted = context;
  void* handle = dlopen(library->dlpi_name[0] ? library->dlpi_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
  if (handle) {
    wanted->found = dlsym(handle, wanted->name);
    dlclose(handle);
  }
  return wanted->found != NULL;
}

static void refuse(const char* setter, void* status, int code) {
  struct wanted wanted = {setter, dlsym(RTLD_DEFAULT, setter)};
  if (!wanted.found) dl_iterate_phdr(look, &wanted);
  void (*set)(void*, int, const char*) = (void (*)(void*, int, const char*))wanted.found;
  if (set) set(status, code, "this plugin is of another MAJOR");
  else say("lacks", setter);
}
