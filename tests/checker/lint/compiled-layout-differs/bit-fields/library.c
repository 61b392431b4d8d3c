// -DXY_WIDE
#include "api.h"
int xy_open(xy_flags *flags) { return flags->state; }
