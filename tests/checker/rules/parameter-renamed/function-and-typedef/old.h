// Names of parameters are documentation. One that had none gets one: not even that is worth a word.
#ifndef COPY_H_
#define COPY_H_

#include <stddef.h>

typedef void (*CopyDoneFn)(void* arg, int code);

void copy_bytes(void* to, const void* from, size_t);
void copy_async(CopyDoneFn done, void* arg);

#endif  // COPY_H_
