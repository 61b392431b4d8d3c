#ifndef EXAMPLE_ALL_H_
#define EXAMPLE_ALL_H_

#include "toy.h"
#include "box.h"

#endif  // EXAMPLE_ALL_H_
