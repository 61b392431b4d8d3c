// should not trigger: the version of the wheels is not known to be the one of the toy.
#include "wheels.h"
int toy_a(void);
