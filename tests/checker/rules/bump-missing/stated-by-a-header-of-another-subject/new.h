#include "wheels.h"
int toy_a(void);
int toy_b(void);
