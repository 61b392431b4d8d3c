#include "car_version.h"
#define TOY_VERSION_MAJOR 1
#define TOY_VERSION_MINOR 2
int toy_a(void);
int toy_b(void);
