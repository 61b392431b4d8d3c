#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
enum xy_kind { XY_A, XY_B = 5 };
typedef struct xy_box {
  enum xy_kind kind;
#ifdef XY_WIDE
  int64_t width;
#else
  int32_t width;
#endif
  unsigned bits : 3;
} xy_box;
int xy_open(const char *name, xy_box *box, int numbers[4], void (*done)(int));
double xy_scale(float factor, enum xy_kind kind);
const char *xy_name(void);
static inline int xy_twice(int a) { return 2 * a; }
#ifdef __cplusplus
}
#endif
