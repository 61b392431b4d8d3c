/* Hosts for the API in dial.yaml, with one thing wrong per build: -DFAULT=name. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dial.h"
#include "dial_helpers.h"

enum faults { NONE, NULL_MEMBER, NULL_LABEL, NULL_FUNCTION, NO_REFUSAL, READS_BEHIND, COPIES_WHOLE, WRITES_BEHIND,
              EQUAL_SIZES, EQUAL_MINORS, REFUSES_WITHOUT, NEEDS_BLINK, NEVER_LOADS, CALLS_NOTHING, FAILS, COUNTS_FILES,
              HANGS_WITHOUT, ABORTS };

static void* library;

static int use(const DP_Dial* dial) {
  if (FAULT == EQUAL_SIZES && dial->struct_size != DP_DIAL_STRUCT_SIZE) return 4;
  if (FAULT == EQUAL_MINORS && dial->minor != DI_MINOR) return 4;
  if (dial->major != DI_MAJOR) return 4;
  if (FAULT == COPIES_WHOLE) {
    DP_Dial copy;
    memcpy(&copy, dial, sizeof copy);
    if (copy.turn(0.5) != 7) return 5;
  }
  if (FAULT == WRITES_BEHIND) ((DP_Dial*)dial)->glow = NULL;
  if (dial->turn(0.5) != 7) return 5;
  DP_Point point = {1.25, 3};
  if (dial->mix(1, 2.5, point, 0.5f, 1LL << 40, "four", 200, -7, 9, 0.125) != (1LL << 40) + 214.375) return 6;
  if (FAULT == REFUSES_WITHOUT && dial->label == NULL) return 7;
  if (FAULT == HANGS_WITHOUT) while (dial->label == NULL) {}
  if (FAULT == ABORTS && dial->label == NULL) abort();
  if (FAULT == NEEDS_BLINK && dial->blink == NULL) return 7;
  if (dial->blink != NULL || FAULT == NULL_MEMBER) dial->blink();
  if (dial->label != NULL || FAULT == NULL_LABEL) printf("%zu\n", strlen(dial->label));
  if (FAULT == READS_BEHIND || DP_DIAL_HAS_FIELD(dial, glow)) {
    if (dial->glow != NULL) dial->glow();
  }
  return 0;
}

int main(int count, char** arguments) {
  if (FAULT == NEVER_LOADS) return 0;
  library = dlopen(arguments[1], RTLD_NOW);
  if (library == NULL) return 3;
  if (FAULT == CALLS_NOTHING) return 0;
  dlclose(library); /* as a host that first looks at all plugins */
  library = dlopen(arguments[1], RTLD_NOW);
  if (FAULT == FAILS) return puts("cannot find the knob"), 9;
  if (FAULT == COUNTS_FILES && strstr(arguments[1], "/plugin/") != NULL) return 8;
  int* limits = dlsym(library, "dial_limits");
  if (limits == NULL || limits[2] != 30) return 10;
  int (*change)(int) = dlsym(library, "change");
  long* records = dlsym(library, "records");
  if (change == NULL || change(4) != 4 || records == NULL || *records != 5) return 14;
  const char** names = dlsym(library, "dial_names");
  if (names == NULL || strcmp(names[1], "two") != 0) return 11;
  int (*beep)(int) = dlsym(library, "DI_Beep");
  if (beep != NULL || FAULT == NULL_FUNCTION) {
    if (beep(2) != 3) return 12;
  }
  int32_t (*fill)(DP_Dial*) = dlsym(library, "DI_Fill");
  if (fill != NULL) {
    DP_Dial dial = {.struct_size = DP_DIAL_STRUCT_SIZE};
    if (fill(&dial) < 0 && FAULT != NO_REFUSAL) return 1;
    return use(&dial);
  }
  int32_t (*store)(const DP_Dial**) = dlsym(library, "DI_Store");
  if (store != NULL) {
    const DP_Dial* dial = NULL;
    if (store(&dial) < 0 && FAULT != NO_REFUSAL) return 1;
    return use(dial);
  }
  const DP_Dial* (*get)(uint32_t) = dlsym(library, "DI_Get");
  if (get != NULL) {
    const DP_Dial* dial = get(0);
    if (dial == NULL && FAULT != NO_REFUSAL) return 0; /* a library without dials is no mistake */
    for (uint32_t at = 0; at == 0 || (dial = get(at)) != NULL; ++at) {
      int failed = use(dial);
      if (failed) return failed;
    }
    return 0;
  }
  const DP_Dial* table = dlsym(library, "dial_table");
  const DP_Dial** pointer = dlsym(library, "dial_pointer");
  if (table == NULL || pointer == NULL) return 13;
  int failed = use(table);
  return failed ? failed : use(*pointer);
}
