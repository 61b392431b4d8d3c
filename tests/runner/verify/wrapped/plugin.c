/* A plugin that works, for the API in dial.yaml: -DFILL, -DSTORE, -DGET or -DDATA says how it gives its table. */
#include <string.h>

#include "dial.h"

#define EXPORTED __attribute__((visibility("default")))

static double mix(int32_t a, double b, DP_Point c, float d, int64_t e, const char* f, uint8_t g, int64_t h, int64_t i,
                  double j) {
  return a + b + c.x + c.y + d + (double)e + (double)strlen(f) + g + (double)h + (double)i + j;
}
static int turn(double to) { return to == 0.5 ? 7 : -1; }
static int one = 1;
#ifdef NEEDS_BLINK
static int* state;
#else
static int* state = &one;
#endif
static int blink(void) { return *(state = &one); }
static int glow(void) { return *state + 1; }

#define TABLE {sizeof(DP_Dial), DI_MAJOR, DI_MINOR, mix, turn, blink, "LEFT", glow}

EXPORTED int dial_limits[3] = {10, 20, 30};
EXPORTED const char* const dial_names[2] = {"one", "two"};
EXPORTED int DI_Beep(int times) { return times + 1; }

#ifdef FILL
EXPORTED int32_t DI_Fill(DP_Dial* dial) {
  DP_Dial own = TABLE;
  size_t room = dial->struct_size < sizeof own ? dial->struct_size : sizeof own;
  memcpy(dial, &own, room);
  dial->struct_size = room;
  return 0;
}
#endif
#ifdef STORE
static DP_Dial the_table = TABLE;
EXPORTED int32_t DI_Store(const DP_Dial** dial) {
  *dial = &the_table;
  return 0;
}
#endif
#ifdef GET
static DP_Dial tables[2] = {TABLE, TABLE};
EXPORTED const DP_Dial* DI_Get(uint32_t index) { return index < 2 ? &tables[index] : NULL; }
#endif
#ifdef DATA
EXPORTED DP_Dial dial_table = TABLE;
EXPORTED const DP_Dial* const dial_pointer = &dial_table;
#endif

/* Names that the wrapper might use itself. */
EXPORTED int table(void) { return 1; }
EXPORTED int change(int by) { return by; }
EXPORTED long records = 5;
EXPORTED int lock(void) { return 2; }
