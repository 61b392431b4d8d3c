#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int xy_open(const char *name);
int xy_close(int number);
#ifdef __cplusplus
}
#endif
