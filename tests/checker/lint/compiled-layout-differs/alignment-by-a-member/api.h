#pragma once
#ifdef __cplusplus
extern "C" {
#endif
#ifdef XY_WIDE
#define XY_ALIGNED 32
#else
#define XY_ALIGNED 16
#endif
typedef struct xy_value {
#ifdef XY_WIDE
  double numbers[4] __attribute__((aligned(16)));
#else
  double numbers[4] __attribute__((aligned(XY_ALIGNED)));
#endif
} xy_value;
int xy_open(xy_value *value);
#ifdef __cplusplus
}
#endif
