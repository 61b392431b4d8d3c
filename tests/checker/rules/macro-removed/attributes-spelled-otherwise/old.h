// should not trigger: it is still there.
#define TOYCALL
#define TOY_TARGET __attribute__((target("avx")))
int TOYCALL toy_start(void);
