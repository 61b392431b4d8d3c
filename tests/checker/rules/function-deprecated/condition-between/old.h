#pragma once

// Deprecated. Use toy_start.
#if defined(__cplusplus) && __cplusplus >= 201402L
[[deprecated]]
#endif
int toy_begin(void);

int toy_start(void);

// Deprecated. This one is about what stands below the condition only when nothing is in between.
#ifdef TOY_OLD
int toy_older(void);
#endif
int toy_stop(void);
