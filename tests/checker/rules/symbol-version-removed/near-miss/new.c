// -Wl,--version-script=new.map
#include "new.h"
int xy_open_1(const char *name) { return name == 0; }
int xy_open_2(const char *name) { return name != 0; }
__asm__(".symver xy_open_1, xy_open@XY_1");
__asm__(".symver xy_open_2, xy_open@@XY_2");
int xy_close(int number) { return number; }
