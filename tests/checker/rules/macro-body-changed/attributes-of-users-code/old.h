// The header itself uses none of them: callers write them before what they define.
#define TOYCALL
#define TOY_TARGET_AVX __attribute__((target("avx")))
#define TOY_PACKED __attribute__((packed))
#define TOY_ALIGNED __attribute__((aligned(8)))
#define TOY_PURE __attribute__((pure))
#define TOY_DEFAULT
#define TOY_RESULT __attribute__((warn_unused_result))
