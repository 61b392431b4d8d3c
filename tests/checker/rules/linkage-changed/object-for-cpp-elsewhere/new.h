// C++ compilers leave the names of objects alone here. Should be shown only.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
int api_run(void);
#ifdef __cplusplus
}
#endif
extern int api_depth;
