#define TOYCALL __attribute__((ms_abi))
#define TOY_TARGET_AVX __attribute__((target("avx,f16c")))
#define TOY_PACKED
#define TOY_ALIGNED __attribute__((aligned(16)))
#define TOY_PURE
#define TOY_DEFAULT 3
#define TOY_RESULT int
