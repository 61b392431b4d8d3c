// Only `const` differs: the call is the same, and who passes a plain pointer still may. Nothing breaks for callers.
#ifndef HASH_H_
#define HASH_H_

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void* bytes, size_t count);

#endif  // HASH_H_
