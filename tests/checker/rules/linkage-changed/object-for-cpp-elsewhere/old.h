// C++ compilers leave the names of objects alone here. Should be shown only.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
extern int api_depth;
int api_run(void);
#ifdef __cplusplus
}
#endif
