// -DXY_WIDE -gdwarf-3
#include "api.h"
int xy_open(xy_flags *flags) { return flags->state; }
