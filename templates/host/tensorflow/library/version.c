// c_api.h.

#include "internal.h"

const char* TF_Version(void) { return "2.21.0"; }
