//
#include "api.h"
int xy_open(const char *name, xy_box *box, int numbers[4], void (*done)(int)) { return name && box && numbers && done; }
double xy_scale(float factor, enum xy_kind kind) { return factor * kind; }
const char *xy_name(void) { return ""; }
