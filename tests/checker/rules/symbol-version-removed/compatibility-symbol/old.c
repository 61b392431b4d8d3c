// -Wl,--version-script=old.map
#include "old.h"
int xy_open(const char *name) { return name != 0; }
int xy_close(int number) { return number; }
int xy_read_0(void) { return 1; }
__asm__(".symver xy_read_0, xy_read@XY_0");
