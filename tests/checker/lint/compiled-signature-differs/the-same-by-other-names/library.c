//
#include "api.h"
int xy_open(const char *name, xy_box *box, int numbers[4], void (*done)(int)) { return name && box && numbers && done; }
double xy_scale(float f, enum xy_kind k) { return f * k; }
const char *xy_name(void) { return ""; }
