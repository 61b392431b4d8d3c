#include "new_version.h"
long toy_a(void);
