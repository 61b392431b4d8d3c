#include "toy/newver.h"
int toy_a(void);
int toy_b(void);
