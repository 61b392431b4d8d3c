// The tag behind a pointer typedef has another name with it: one rename, of the typedef. Should trigger once.
#ifndef EXAMPLE_HANDLE_WITH_ITS_TAG_H_
#define EXAMPLE_HANDLE_WITH_ITS_TAG_H_

#include <stdint.h>

typedef struct ring_buffer_impl* RingBuffer;

RingBuffer ring_make(int32_t slots);
void ring_drop(RingBuffer ring);

#endif  // EXAMPLE_HANDLE_WITH_ITS_TAG_H_
