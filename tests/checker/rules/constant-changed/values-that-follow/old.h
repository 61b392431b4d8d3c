// One constant changes and two follow from it; two more are made of the size of a struct that may grow, and four say the
// version. Should trigger twice.
#ifndef FOLLOW_H_
#define FOLLOW_H_

#include <stddef.h>
#include <stdint.h>

#define FOLLOW_MAJOR 1
#define FOLLOW_MINOR 2
#define FOLLOW_PATCH 3
#define FOLLOW_VERSION_STRING "1.2.3"
#define FOLLOW_VERSION (FOLLOW_MAJOR * 10000 + FOLLOW_MINOR * 100 + FOLLOW_PATCH)
#define FOLLOW_VERSION_NUM 0x010203

#define FOLLOW_LANES 4
#define FOLLOW_BYTES (FOLLOW_LANES * 8)
#define FOLLOW_BITS (FOLLOW_BYTES * 8)

typedef struct Follow {
  size_t struct_size;
  int64_t first;
} Follow;

#define FOLLOW_POOL (sizeof(Follow) * 16)
enum { FOLLOW_PAGE = sizeof(Follow) * 2 };

#endif  // FOLLOW_H_
