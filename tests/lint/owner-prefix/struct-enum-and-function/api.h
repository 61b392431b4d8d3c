// SE_ is the core's and SP_ the plugin's, except for three names that say nothing. Should trigger for each.
#ifndef OWN_H_
#define OWN_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Status Status;

typedef enum SP_Mode { SP_MODE_EAGER, SP_MODE_LAZY } SP_Mode;

typedef struct SP_Device {
  size_t struct_size;
  void* handle;
} SP_Device;

typedef struct SE_CreateParams {
  size_t struct_size;
  SP_Device* device;
} SE_CreateParams;

typedef struct CreateResult {
  size_t struct_size;
  int64_t code;
} CreateResult;

#ifdef __cplusplus
extern "C" {
#endif

void SE_Init(SE_CreateParams* params, Status* status);
void InitPlugin(SE_CreateParams* params, CreateResult* result);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // OWN_H_
