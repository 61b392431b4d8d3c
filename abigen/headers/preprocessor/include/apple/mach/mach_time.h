#ifndef _ABIGEN_MACH_MACH_TIME_H
#define _ABIGEN_MACH_MACH_TIME_H
#include <mach/mach_types.h>
struct mach_timebase_info {
  unsigned int numer;
  unsigned int denom;
};
typedef struct mach_timebase_info *mach_timebase_info_t;
typedef struct mach_timebase_info mach_timebase_info_data_t;
#endif
