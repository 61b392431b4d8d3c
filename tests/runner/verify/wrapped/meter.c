/* A plugin and, with -DFAULT=name, a host for the API in meter.yaml. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "meter.h"

#ifdef FAULT
enum faults { NONE, IGNORES_VERSION, REFUSES_OTHERS, IGNORES_FAILURE, CRASHES, ABORTS };

int main(int count, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW);
  const MP_Meter* meter = NULL;
  ME_Code code = ((ME_Code(*)(const MP_Meter**))dlsym(library, "ME_Open"))(&meter);
  if (code != ME_OK && FAULT != IGNORES_FAILURE) return 1;
  if (FAULT == REFUSES_OTHERS && meter->version != 2) return 1;
  if (FAULT == ABORTS && meter->version != 2) abort();
  if (FAULT == CRASHES && meter->version > 2) *(volatile int*)NULL = 1;
  if (meter->read() != 3) return 4;
  if ((meter->version >= 2 || FAULT == IGNORES_VERSION) && meter->reset != NULL) meter->reset();
  return 0;
}
#else
static int read_it(void) { return 3; }
static int reset(void) { return 0; }
static const MP_Meter meter = {2, read_it, reset};

ME_Code ME_Open(const MP_Meter** given) {
  *given = &meter;
  return ME_OK;
}
#endif
