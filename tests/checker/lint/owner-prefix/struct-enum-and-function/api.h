// SE_ is the core's and SP_ the plugin's, except for three names that say nothing. Should trigger for each.
#ifndef OWN_H_
#define OWN_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Status Status;

typedef enum SP_Mode { SP_MODE_EAGER, SP_MODE_LAZY } SP_Mode;

#define OWN_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  void* handle;
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE OWN_END(SP_Device, handle)

typedef struct SE_CreateParams {
  size_t struct_size;
  void* ext;
  SP_Device* device;
} SE_CreateParams;

#define SE_CREATE_PARAMS_STRUCT_SIZE OWN_END(SE_CreateParams, device)

typedef struct CreateResult {
  size_t struct_size;
  void* ext;
  int64_t code;
} CreateResult;

#define CREATE_RESULT_STRUCT_SIZE OWN_END(CreateResult, code)

#ifdef __cplusplus
extern "C" {
#endif

void SE_Init(SE_CreateParams* params, Status* status);
void InitPlugin(SE_CreateParams* params, CreateResult* result);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // OWN_H_
