#pragma once
#ifdef __cplusplus
extern "C" {
#endif
#ifdef XY_WIDE
#define XY_ALIGNED 32
#else
#define XY_ALIGNED 16
#endif
typedef struct __attribute__((aligned(XY_ALIGNED))) xy_value {
  double numbers[4];
} xy_value;
int xy_open(xy_value *value);
#ifdef __cplusplus
}
#endif
