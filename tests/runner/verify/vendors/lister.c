// Two effects that are right; each FAULT is one thing that is wrong.
#include <stdlib.h>
#include <string.h>
#include "lister.h"
typedef struct { float* ports[2]; float* last; } effect;
static int count;
static fx_instance instantiate(const fx_effect* about, unsigned long rate) {
  effect* made = rate != 0 ? calloc(1, sizeof(effect)) : NULL;
  (void)about;
#ifdef LEAKS
  (void)malloc(100);
#endif
#ifdef CRASHES_IN_INSTANTIATE
  *(volatile int*)8 = 1;
#endif
  return made;
}
static void connect_port(fx_instance instance, unsigned long port, float* data) {
#ifdef CRASHES_IN_CONNECT
  if (port == 1) *(volatile int*)8 = 1;
#endif
  ((effect*)instance)->ports[port] = data;
}
static void run(fx_instance instance, unsigned long samples) {
  effect* own = instance;
  unsigned long at;
#ifdef WRITES_PAST
  samples += 1;
#endif
#ifdef CRASHES_IN_RUN
  *(volatile int*)8 = 1;
#endif
  for (at = 0; at < samples; ++at) own->ports[1][at] = 0.5f * own->ports[0][at];
}
static void cleanup(fx_instance instance) {
  (void)count;
#ifdef FREES_TWICE
  free(instance);
#endif
  free(instance);
}
static const fx_effect effects[] = {
    {"half", 2, instantiate, connect_port, run, cleanup},
    {"other", 2, instantiate, connect_port,
#ifdef SECOND_CRASHES
     (void (*)(fx_instance, unsigned long))8,
#else
     run,
#endif
     cleanup}};
const fx_effect* fx_describe(unsigned long index) {
#ifdef ENDLESS
  return &effects[index % 2];
#elif defined(PAST_THE_END)
  return index < 2 ? &effects[index] : index > 100 ? effects : NULL;
#else
  return index < 2 ? &effects[index] : NULL;
#endif
}
