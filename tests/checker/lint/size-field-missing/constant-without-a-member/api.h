// A constant tells the size that the struct itself does not carry. Should trigger.
#ifndef EXAMPLE_CONSTANT_WITHOUT_A_MEMBER_H_
#define EXAMPLE_CONSTANT_WITHOUT_A_MEMBER_H_

#include <stddef.h>
#include <stdint.h>

#define BELL_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct BellTone {
  int64_t pitch;
} BellTone;

#define BELL_TONE_STRUCT_SIZE BELL_END(BellTone, pitch)

#endif  // EXAMPLE_CONSTANT_WITHOUT_A_MEMBER_H_
