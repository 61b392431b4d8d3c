#pragma once
#ifdef __cplusplus
extern "C" {
#if 0
#else
}
#endif
#endif
int a(void);
int b(void);
