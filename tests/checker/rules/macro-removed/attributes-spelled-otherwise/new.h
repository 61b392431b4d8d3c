// should not trigger: it is still there.
#define TOY_NOTHING
#define TOYCALL TOY_NOTHING
#define TOY_TARGET __attribute__((__target__ ("avx")))
int TOYCALL toy_start(void);
