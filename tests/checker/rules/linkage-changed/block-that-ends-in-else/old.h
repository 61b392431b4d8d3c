#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int a(void);
int b(void);
#ifdef __cplusplus
}
#endif
