// Near miss: the comment of a struct without a size says that it never grows, and another one is not handed over. Should
// not trigger.
#ifndef EXAMPLE_SAID_TO_BE_FIXED_H_
#define EXAMPLE_SAID_TO_BE_FIXED_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct XY_One {
  size_t struct_size;
  void* first;
} XY_One;

#define XY_ONE_STRUCT_SIZE (offsetof(XY_One, first) + sizeof(((XY_One*)0)->first))

typedef struct XY_Two {
  size_t struct_size;
  void* second;
} XY_Two;

#define XY_TWO_STRUCT_SIZE (offsetof(XY_Two, second) + sizeof(((XY_Two*)0)->second))

// A point in the plane. Its size never changes.
typedef struct XY_Point {
  double x, y;
} XY_Point;

// Kept in files only.
typedef struct XY_Record {
  double x, y;
} XY_Record;

void xy_use(const XY_One* one, const XY_Two* two, const XY_Point* point);

#ifdef __cplusplus
}
#endif

#endif
