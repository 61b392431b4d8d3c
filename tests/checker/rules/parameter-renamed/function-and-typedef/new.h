// Names of parameters are documentation. One that had none gets one: not even that is worth a word.
#ifndef COPY_H_
#define COPY_H_

#include <stddef.h>

typedef void (*CopyDoneFn)(void* user_data, int code);

void copy_bytes(void* destination, const void* source, size_t count);
void copy_async(CopyDoneFn done, void* arg);

#endif  // COPY_H_
