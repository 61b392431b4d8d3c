#ifndef TOY_H
#define TOY_H
#define TOYCALL
#define TOY_TARGET_AVX __attribute__((target("avx")))
#define TOY_VISIBILITY __attribute__((visibility("default")))
#define TOY_INLINE static inline
#define TOY_HAS_WHEELS /* code asks for it by #ifdef */
#define _TOY_PLUMBING __attribute__((unused))
int TOYCALL toy_start(void);
#endif
