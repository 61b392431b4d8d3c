/* A plugin for the API in spec/lamp.yaml, with one thing wrong per build: -DFAULT=name. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lamp.h"

enum faults { NONE, WRITES_NEWER, ASSIGNS_WHOLE, READS_NEWER, DEPRECATED, REFUSES_OLDER, NO_BULB_ON_OLDER, FLASHES, NO_END };

#ifndef FAULT
#define FAULT NONE
#endif

#define KNOWS(object, TYPE, member) \
  ((object)->struct_size >= offsetof(TYPE, member) + sizeof(((TYPE*)0)->member))

struct LP_Bulb_st {
  double brightness;
};

static int core_is_old;

static void create_bulb(LP_Bulb* bulb, LA_Status* status) {
  if (FAULT == NO_BULB_ON_OLDER && core_is_old) {
    LA_SetStatus(status, LA_NOT_NOW, "nothing dims it");
    return;
  }
  *bulb = calloc(1, sizeof **bulb);
  LA_SetStatus(status, LA_OK, "");
}

static void destroy_bulb(LP_Bulb bulb) { free(bulb); }

static void dim(LP_Bulb bulb, double to) { bulb->brightness = to; }

void LA_InitPlugin(LA_InitParams* params, LA_Status* status) {
#ifdef NEWER_SYMBOL
  if (params->major == 1000) LA_Log("never");
#endif
  if (params->major != LA_MAJOR || (FAULT == REFUSES_OLDER && params->minor < LA_MINOR)) {
    LA_SetStatus(status, LA_NOT_NOW, "core has another version than this plugin");
    return;
  }
  core_is_old = params->minor < LA_MINOR;
  if ((FAULT == READS_NEWER || KNOWS(params, LA_InitParams, volts)) && *(volatile int32_t*)&params->volts < 0) {
    LA_SetStatus(status, LA_NOT_NOW, "there is no current");
    return;
  }
  LP_LampFns* fns = params->fns;
  if (FAULT == ASSIGNS_WHOLE) {
    LP_LampFns whole = {.struct_size = sizeof(LP_LampFns), .create_bulb = create_bulb, .destroy_bulb = destroy_bulb};
    *fns = whole;
    LA_SetStatus(status, LA_OK, "");
    return;
  }
  fns->create_bulb = create_bulb;
  if (FAULT != NO_END) fns->destroy_bulb = destroy_bulb;
  if (KNOWS(fns, LP_LampFns, hue) && FAULT != DEPRECATED) fns->hue = "warm";
  fns->colour = FAULT == DEPRECATED || !KNOWS(fns, LP_LampFns, hue) ? "warm" : NULL;
  if (FAULT == WRITES_NEWER || KNOWS(fns, LP_LampFns, dim)) fns->dim = dim;
  if (FAULT == FLASHES && KNOWS(fns, LP_LampFns, flash)) fns->flash = dim;
  if (fns->struct_size > LP_LAMP_FNS_STRUCT_SIZE) fns->struct_size = LP_LAMP_FNS_STRUCT_SIZE;
  LA_SetStatus(status, LA_OK, "");
}
