// One typedef more on the way to the same type. Should not trigger.
#ifndef FLAGS_H_
#define FLAGS_H_

#include <stdint.h>

typedef unsigned int FlagSet;
typedef const char* FlagName;

FlagSet flag_find(FlagName name);

#endif  // FLAGS_H_
