#ifndef LIB_ALL_H
#define LIB_ALL_H
#include "tree.h"
#include <stdint.h>
#endif
