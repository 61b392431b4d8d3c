//
#include "api.h"
int xy_open(const char *name) { return name != 0; }
int xy_close(int number) { return number; }
int xy_helper(void) { return 1; }
