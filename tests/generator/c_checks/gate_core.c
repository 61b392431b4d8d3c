/* Shows what validators say of gates: see test_conditions.py.
   cc -I <out>/c -I <out>/c-checks tests/emit_checks/gate_core.c <out>/c-checks/gate_checks.c
   <out>/c-checks/abigen/checks_v1.c -ldl -o core */
#include <stdio.h>
#include <string.h>

#include "gate_asserts.h"
#include "gate_checks.h"
#include "gate_helpers.h"

static int turn(void) { return 1; }
static void act(void) {}
static void ring(int32_t alarm) { (void)alarm; }

static void show(const GATE_Finding* finding, void* context) {
  (void)context;
  printf("  %s\n", finding->message);
}

static void report(const char* what, int errors) { printf("%s: %d\n", what, errors); }

/* A gate with which nothing is wrong. */
static GP_Gate gate(void) {
  GP_Gate made;
  (void)GP_Gate_Init(&made, sizeof(made));
  made.struct_size = GP_GATE_STRUCT_SIZE;
  made.name = "NORTH_GATE";
  made.hinge.turn = turn;
  return made;
}

static void conditions(void) {
  GP_Gate one = gate();
  report("neither lock nor alarm", GP_Gate_Check(&one, show, NULL));
  one.locks = 1;
  report("no lock", GP_Gate_Check(&one, show, NULL));
  one.lock = act;
  one.alarm = -1;
  report("a lock in place of a ring", GP_Gate_Check(&one, show, NULL));
  one.locks = 0;
  one.lock = NULL;
  report("an alarm without a ring", GP_Gate_Check(&one, show, NULL));
  one.ring = ring;
  report("an alarm with a ring", GP_Gate_Check(&one, show, NULL));
  one.ring = NULL;
  one.struct_size = GP_GATE_STRUCT_SIZE_1_0_0;
  report("of a release without alarms", GP_Gate_Check(&one, show, NULL));
  one.hinge.turn = NULL;
  report("a hinge that does not turn", GP_Gate_Check(&one, show, NULL));
  one.struct_size = 3;
  report("too small for a hinge", GP_Gate_Check(&one, show, NULL));
}

static void others(void) {
  GP_Gate one = gate();
  GP_Fns fns;
  GC_Pair pair;
  (void)GP_Fns_Init(&fns, sizeof(fns));
  (void)GC_Pair_Init(&pair, sizeof(pair));
  report("nobody knows the gate", GP_Fns_Check(&fns, NULL, show, NULL));
  report("the gate has no lock", GP_Fns_Check(&fns, &one, show, NULL));
  one.locks = 1;
  one.lock = act;
  report("the gate has a lock", GP_Fns_Check(&fns, &one, show, NULL));
  fns.pull = act;
  report("who pulls need not push", GP_Fns_Check(&fns, &one, show, NULL));
  fns.pull = NULL;
  one.struct_size = offsetof(GP_Gate, locks);
  report("the gate is too old for locks", GP_Fns_Check(&fns, &one, show, NULL));
  one.struct_size = GP_GATE_STRUCT_SIZE;
  pair.fns = &fns;
  report("a pair without a gate", GC_Pair_Check(&pair, show, NULL));
  pair.gate = &one;
  report("a pair", GC_Pair_Check(&pair, show, NULL));
  pair.struct_size = offsetof(GC_Pair, gate);
  report("a pair that is too small for a gate", GC_Pair_Check(&pair, show, NULL));
}

/* Loads a library that may or may not have what is optional. */
static int extra(const char* path) {
  Gate_Extra_Library library;
  Gate_Extra_Prepare(&library);
  report("errors", Gate_Extra_Load(&library, path, show, NULL));
  printf("%s, %s\n", library.handle != NULL ? "loaded" : "not loaded", library.filled ? "filled" : "not filled");
  Gate_Extra_Unload(&library);
  return 0;
}

int main(int argc, char** argv) {
  int at;
  if (argc == 3 && strcmp(argv[1], "--extra") == 0) {
    return extra(argv[2]);
  }
  conditions();
  others();
  for (at = 1; at < argc; ++at) {
    GP_Gate one = gate();
    one.motto = argv[at];
    printf("%d", GP_Gate_Check(&one, NULL, NULL));
    one.motto = NULL;
    one.name = argv[at];
    printf("%d\n", GP_Gate_Check(&one, at < 4 ? show : NULL, NULL));
  }
  return 0;
}
