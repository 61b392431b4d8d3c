#ifndef _ABIGEN_ASSERT_H
#define _ABIGEN_ASSERT_H
#undef assert
#define assert(condition) ((void)0)
#define static_assert _Static_assert
#endif
