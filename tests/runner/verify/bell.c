/* A plugin for the API in spec/bell.yaml, with one thing wrong per build: -DFAULT=name. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bell.h"

enum faults { NONE, RINGS_ONCE, HUMS_NULL, ASKS_WHY, READS_WHY, NEEDS_HOST, SHARES };

struct BP_Bell_st {
  int rung;
};

static atomic_int busy;

static int create_bell(BP_Bell* bell) {
  if (FAULT == SHARES) {
    if (atomic_fetch_add(&busy, 1) > 0) return -EBUSY;
    usleep(1000);
    atomic_store(&busy, 0);
  }
  *bell = calloc(1, sizeof **bell);
  return *bell ? 0 : -ENOMEM;
}

static void destroy_bell(BP_Bell bell) { free(bell); }

static int ring(BP_Bell bell, const char* tune, int32_t times) {
  if (strcmp(tune, "ding") != 0 || times <= 0 || (FAULT == RINGS_ONCE && times > 1)) return -EINVAL;
  bell->rung += times;
  return 0;
}

static int hum(BP_Bell bell, const char* tune, double pitch) {
  if (FAULT == HUMS_NULL) *(volatile int*)0 = 1;
  return -EINVAL;
}

static int hang(BP_Bell bell, void (*done)(void)) {
  done();
  return 0;
}

static int toll(BP_Bell bell, const char* why) {
  if (FAULT == ASKS_WHY && why == NULL) return -EINVAL;
  if (FAULT == READS_WHY && *why == 0) return -EINVAL;
  bell->rung++;
  return 0;
}

int BE_InitPlugin(BE_InitParams* params, const BE_Host* host) {
  if (FAULT == NEEDS_HOST && host == NULL) return -EINVAL;
  params->fns->create_bell = create_bell;
  params->fns->destroy_bell = destroy_bell;
  params->fns->ring = ring;
  params->fns->hum = hum;
  params->fns->toll = toll;
  params->fns->hang = hang;
  return 0;
}
