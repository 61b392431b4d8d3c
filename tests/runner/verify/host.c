/* Hosts for the APIs in spec/lamp.yaml and spec/horn.yaml, with one thing wrong per build: -DFAULT=name. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "horn.h"
#include "horn_helpers.h"
#include "lamp.h"
#include "lamp_helpers.h"

enum faults { NONE, EQUAL_SIZES, CALLS_NULL, IGNORES_REFUSAL, READS_BEHIND, WRITES_BEHIND, CALLS_NOTHING, NEVER_ENDS,
              DESTROYS_TWICE, DESTROYS_NULL, USES_DESTROYED, DESTROYS_OTHER, IGNORES_FAILURE };

struct LA_Status {
  LA_Code code;
};

__attribute__((visibility("default"))) void LA_SetStatus(LA_Status* status, LA_Code code, const char* message) {
  status->code = code;
}

static int blow(HP_Horn* (*get)(int32_t major)) {
  HP_Horn* horn = get(HO_MAJOR);
  if (horn == NULL) return 1;
  if (FAULT == WRITES_BEHIND) horn->mute = NULL;
  if (FAULT == READS_BEHIND || HP_HORN_HAS_FIELD(horn, mute)) {
    if (horn->mute != NULL || FAULT == CALLS_NULL) horn->mute();
  }
  return horn->blow(1);
}

int main(int count, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (library == NULL) return 3;
  if (FAULT == CALLS_NOTHING) return 0;
  for (; FAULT == NEVER_ENDS;) {
  }
  void* get = dlsym(library, "HO_GetHorn");
  if (get != NULL) return blow((HP_Horn * (*)(int32_t)) get);
  void (*init)(LA_InitParams*, LA_Status*) = (void (*)(LA_InitParams*, LA_Status*))dlsym(library, "LA_InitPlugin");
  LP_LampFns fns = {.struct_size = LP_LAMP_FNS_STRUCT_SIZE};
  LA_InitParams params = {.struct_size = LA_INIT_PARAMS_STRUCT_SIZE, .major = LA_MAJOR, .minor = LA_MINOR, .fns = &fns};
  LA_Status status = {LA_OK};
  init(&params, &status);
  if (status.code != LA_OK && FAULT != IGNORES_REFUSAL) return 1;
  if (FAULT == EQUAL_SIZES && fns.struct_size != LP_LAMP_FNS_STRUCT_SIZE) return 1;
  LP_Bulb bulb = NULL;
  status.code = LA_OK;
  fns.create_bulb(&bulb, &status);
  if (status.code != LA_OK && FAULT != IGNORES_FAILURE) return 1;
  int has_dim = LP_LAMP_FNS_HAS_FIELD(&fns, dim) && fns.dim != NULL;
  if (FAULT == READS_BEHIND) has_dim = fns.dim != NULL;
  if (has_dim || FAULT == CALLS_NULL) fns.dim(bulb, 0.5);
  fns.destroy_bulb(FAULT == DESTROYS_NULL ? NULL : FAULT == DESTROYS_OTHER ? (LP_Bulb)&fns : bulb);
  if (FAULT == DESTROYS_TWICE) fns.destroy_bulb(bulb);
  if (FAULT == USES_DESTROYED && has_dim) fns.dim(bulb, 0.5);
  return 0;
}
