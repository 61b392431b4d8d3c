/* @TITLE@

   Build: cc THIS_FILE -w -rdynamic -pthread -ldl -lm -o show
   Run:   ./show PLUGIN
   It ends with a signal, or with exit code 1, where the fault shows. */

@CORE@

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096

static char* memory[@MEMORIES@];
static struct { size_t size, room; } sizes[@MEMORIES@];
static int count, failed;
static char* kept[@KEPT@];
static const char* doing = "dlopen";
static struct { int code; char message[1000]; int state; } core_memory;
static void* const core_status = &core_memory;

static void* nothing(void) { return NULL; }

/* Memory of core's, with bytes behind it that tell who writes there, and a page that nobody may touch. */
static void make(int number, size_t size) {
  size_t room = (size + PAGE - 1) / PAGE * PAGE;
  char* pages = mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + room, PAGE, PROT_NONE);
  memory[number] = pages + (room - size) / 16 * 16;
  memset(memory[number], 0, size);
  memset(memory[number] + size, 0x5B, (size_t)(pages + room - memory[number]) - size);
  sizes[number].size = size;
  sizes[number].room = (size_t)(pages + room - memory[number]);
  count = number + 1;
}

static void bytes(int number, size_t at, const char* content, size_t size) { memcpy(memory[number] + at, content, size); }
static void address(int number, size_t at, void* value) { memcpy(memory[number] + at, &value, sizeof value); }
static char* taken(int number, size_t at) {
  char* value;
  memcpy(&value, memory[number] + at, sizeof value);
  return value;
}
static void end(int number) {
  mprotect((void*)((uintptr_t)memory[number] / PAGE * PAGE), PAGE, PROT_NONE);
  sizes[number].room = 0;
}

static void left(void) {
  if (doing == NULL) return;
  printf("%s ends the process\n", doing);
  fflush(stdout);
  _exit(1);
}

static void begin(const char* name) {
  doing = name;
  printf("%s\n", name);
  fflush(stdout);
  memset(&core_memory, 0, sizeof core_memory);
  core_memory.state = 0x5354;
  alarm(20);
}

static void finish(void) {
  failed = core_memory.code != 0;
  if (failed) printf("  fails: code %d, %s\n", core_memory.code, core_memory.message);
  for (int i = 0; i < count; i++)
    for (size_t at = sizes[i].size; at < sizes[i].room; at++)
      if (memory[i][at] != 0x5B) {
        printf("%s writes past the end of what has %zu bytes, at %zu\n", doing, sizes[i].size, at);
        doing = NULL;
        exit(1);
      }
}

static void compare(const void* found, const char* expected, size_t size) {
  const unsigned char *a = found, *b = (const unsigned char*)expected;
  for (size_t at = 0; at < size; at++)
    if (a[at] != b[at]) {
      printf("byte %zu is 0x%02x instead of 0x%02x\n", at, a[at], b[at]);
      doing = NULL;
      exit(1);
    }
}

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) {
    printf("%s\n", argc == 2 ? dlerror() : "name the plugin");
    return 2;
  }
  atexit(left);
@CALLS@
  doing = NULL;
  printf(failed ? "" : "the fault does not show\n");
  return failed;
}
