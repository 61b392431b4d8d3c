#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef struct xy_flags {
  unsigned kind : 4;
#ifdef XY_WIDE
  int level : 5;
#else
  unsigned level : 5;
#endif
  unsigned : 2;
  unsigned state : 3;
} xy_flags;
int xy_open(xy_flags *flags);
#ifdef __cplusplus
}
#endif
