#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef struct xy_value {
  int kind;
  union {
    double real;
    struct {
      short low;
#ifdef XY_WIDE
      int high;
#else
      short high;
#endif
    };
  };
} xy_value;
int xy_open(xy_value *value);
#ifdef __cplusplus
}
#endif
