#include <mach/mach_types.h>
