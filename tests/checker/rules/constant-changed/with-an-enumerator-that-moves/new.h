// Near miss: the value follows from an enumerator that moved, which is told there. Should not trigger.
#ifndef EXAMPLE_WITH_AN_ENUMERATOR_THAT_MOVES_H_
#define EXAMPLE_WITH_AN_ENUMERATOR_THAT_MOVES_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum toy_bit { TOY_BIT = 2 };
#define TOY_FLAG (TOY_BIT << 8)

#ifdef __cplusplus
}
#endif

#endif
