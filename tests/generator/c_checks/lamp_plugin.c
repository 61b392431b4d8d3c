/* A plugin of the lamp, with one thing wrong per build: see test_loader.py for the macros.
   cc -shared -fPIC -I <out>/c -DSIZE=0 tests/emit_checks/lamp_plugin.c -o lamp.so */
#include <stdlib.h>
#include <string.h>

#include "lamp/lamp_helpers.h"

#ifndef ENTRY
#define ENTRY Lamp_Start
#endif
#ifndef MAJOR
#define MAJOR LAMP_MAJOR
#endif
#ifndef SIZE
#define SIZE start->lamp->struct_size
#endif
#ifndef SWITCH_ON
#define SWITCH_ON switch_on
#endif
#ifndef DIM
#define DIM dim
#endif
#ifndef COLOUR
#define COLOUR 0
#endif
#ifndef LAMP
#define LAMP start->lamp
#endif
#ifndef RESULT
#define RESULT 0
#endif

int switch_on(void);
void dim(int percent);
int ENTRY(LC_Start* start);

int switch_on(void) { return 42; }

void dim(int percent) { (void)percent; }

static void destroy_lamp(LP_Lamp* lamp) {
  char* name = NULL;
  memcpy(&name, &lamp->name, sizeof(name));
  free(name);
}

int ENTRY(LC_Start* start) {
  static LP_Lamp own;
  LP_Lamp* const lamp = start->lamp;
  char* name = NULL;
  if (RESULT != 0) {
    return RESULT;
  }
  own.struct_size = LP_LAMP_STRUCT_SIZE;
  start->plugin_major = MAJOR;
  if (MAJOR == LAMP_MAJOR) {
    name = malloc(sizeof("lamp"));
    if (name != NULL) {
      memcpy(name, "lamp", sizeof("lamp"));
    }
    start->destroy_lamp = destroy_lamp;
  }
  lamp->name = name;
  lamp->switch_on = SWITCH_ON;
  lamp->colour = COLOUR;
  lamp->rgb = 0xFF00FFU;
  lamp->dim = DIM;
  lamp->struct_size = SIZE;
  start->lamp = LAMP;
  (void)own;
  return 0;
}
