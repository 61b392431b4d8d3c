// 32 bits become 64: on some machines the same register, on others not. Should trigger, naming `size`.
#ifndef MEM_H_
#define MEM_H_

#include <stdint.h>

void* mem_allocate(int32_t device, uint32_t size);
void mem_free(int32_t device, void* memory);

#endif  // MEM_H_
