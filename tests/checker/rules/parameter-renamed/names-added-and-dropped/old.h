// Names come and go, none is replaced. Should not trigger.
#ifndef COPY_H_
#define COPY_H_

#include <stddef.h>

void copy_bytes(void*, const void*, size_t);
void copy_zero(void* memory, size_t count);

#endif  // COPY_H_
