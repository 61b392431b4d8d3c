// The plugin relies on the core reading `workspace_bytes`: an older core would not. Should trigger.
#ifndef TP_KERNEL_H_
#define TP_KERNEL_H_

#include <stddef.h>
#include <stdint.h>

#define TP_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct SP_Kernel {
  size_t struct_size;
  void* ext;
  void (*compute)(void* context);
  int64_t workspace_bytes;  // Scratch memory that `compute` needs. Consumers must read this.
} SP_Kernel;

#define SP_KERNEL_STRUCT_SIZE TP_END(SP_Kernel, workspace_bytes)

#endif  // TP_KERNEL_H_
