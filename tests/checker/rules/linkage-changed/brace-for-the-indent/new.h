#pragma once
#ifdef __cplusplus
extern "C" {
#if 0
}
#endif
#endif
int a(void);
int b(void);
#ifdef __cplusplus
}
#endif
