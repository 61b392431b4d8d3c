#pragma once
#ifdef __cplusplus
extern "C" {
#ifdef EMACS_INDENT
}
#endif
#endif
int a(void);
int b(void);
#ifdef __cplusplus
#if 0
{
#endif
}
#endif
