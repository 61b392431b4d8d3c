// `const` before the device: the same machine code, but a plugin's function no longer fits the member.
#ifndef TP_EXECUTOR_H_
#define TP_EXECUTOR_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SP_Stream_st* SP_Stream;
typedef struct SP_Device SP_Device;
typedef void (*SE_StatusCallbackFn)(void* arg, int32_t* status);

typedef struct SP_StreamExecutor {
  size_t struct_size;
  void* ext;
  unsigned char (*host_callback)(const SP_Device* device, SP_Stream stream, SE_StatusCallbackFn callback_fn,
                                 void* callback_arg);
} SP_StreamExecutor;

#endif  // TP_EXECUTOR_H_
