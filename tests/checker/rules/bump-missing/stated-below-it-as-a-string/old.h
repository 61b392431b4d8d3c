// should not trigger
#include "toy/oldver.h"
int toy_a(void);
