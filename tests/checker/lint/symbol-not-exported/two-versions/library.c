// -Wl,--version-script=library.map
#include "api.h"
int xy_open_1(const char *name) { return name != 0; }
int xy_open_2(const char *name) { return name != 0; }
int xy_more_1(const char *name) { return name != 0; }
__asm__(".symver xy_open_1, xy_open@XY_1");
__asm__(".symver xy_open_2, xy_open@@XY_2");
__asm__(".symver xy_more_1, xy_more@XY_1");
int xy_close(int number) { return number; }
