// The core will pass one argument more than the plugin's function expects. Should trigger, naming `alignment`.
#ifndef TP_ALLOCATOR_H_
#define TP_ALLOCATOR_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SP_AllocatorFns {
  size_t struct_size;
  void* ext;
  void* (*allocate_raw)(void* allocator, size_t size);
  void (*deallocate_raw)(void* allocator, void* ptr);
} SP_AllocatorFns;

#endif  // TP_ALLOCATOR_H_
