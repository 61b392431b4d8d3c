// Names come and go, none is replaced. Should not trigger.
#ifndef COPY_H_
#define COPY_H_

#include <stddef.h>

void copy_bytes(void* to, const void* from, size_t count);
void copy_zero(void*, size_t);

#endif  // COPY_H_
