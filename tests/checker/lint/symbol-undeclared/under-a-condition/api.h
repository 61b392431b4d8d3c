#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int xy_open(const char *name);
int xy_close(int number);
#ifdef XY_EXPERIMENTAL
int xy_helper(void);
#endif
#ifdef __cplusplus
}
#endif
