#ifndef EXAMPLE_HANDLE_WITH_ITS_TAG_H_
#define EXAMPLE_HANDLE_WITH_ITS_TAG_H_

#include <stdint.h>

typedef struct ring_buffer_st* RingBuf;

RingBuf ring_make(int32_t slots);
void ring_drop(RingBuf ring);

#endif  // EXAMPLE_HANDLE_WITH_ITS_TAG_H_
