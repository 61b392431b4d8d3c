// The caller used to be allowed a pointer to const data and no longer is. Should trigger for source only.
#ifndef HASH_H_
#define HASH_H_

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(void* bytes, size_t count);

#endif  // HASH_H_
