// The enumeration of an included header is an int now: it has as many bytes, and no value below zero.
#ifndef LAMP_H_
#define LAMP_H_

#include "old_flag.h"

Flag lamp_is_lit(void);
void lamp_light(Flag flag);

#endif  // LAMP_H_
