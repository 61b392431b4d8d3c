// C++ compilers give an object another name on Windows. Should trigger there.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
extern int api_depth;
int api_run(void);
#ifdef __cplusplus
}
#endif
