#include "old_version.h"
int toy_a(void);
