/* A core that loads StreamExecutor plugins with the generated loader, and runs a copy through each: to its device and back.
   It implements as much of the core's side as that takes.
   cc -rdynamic -I generated/tensorflow/c -I generated/tensorflow/c-checks tests/emit_checks/executor_core.c
   .../stream_executor_checks.c generated/c-checks/abigen/checks_v1.c -ldl -o core */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor_asserts.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor_checks.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor_helpers.h"

struct TSL_Status {
  TF_Code code;
  char message[1024];
};

TF_Status* TF_NewStatus(void) { return (TF_Status*)calloc(1, sizeof(TF_Status)); }

void TF_DeleteStatus(TF_Status* status) { free(status); }

void TF_SetStatus(TF_Status* status, TF_Code code, const char* message) {
  status->code = code;
  (void)snprintf(status->message, sizeof(status->message), "%s", message);
}

TF_Code TF_GetCode(const TF_Status* status) { return status->code; }

const char* TF_Message(const TF_Status* status) { return status->message; }

/* What else TensorFlow exports and the plugin could call, if its kernels ran here. */
#define NOT_HERE(name) \
  void name(void);     \
  void name(void) { abort(); }
NOT_HERE(TF_AllocateOutput)
NOT_HERE(TF_DeleteTensor)
NOT_HERE(TF_Dim)
NOT_HERE(TF_GetInput)
NOT_HERE(TF_KernelBuilder_TypeConstraint)
NOT_HERE(TF_NewKernelBuilder)
NOT_HERE(TF_NumDims)
NOT_HERE(TF_OpKernelContext_Failure)
NOT_HERE(TF_RegisterKernelBuilder)
NOT_HERE(TF_TensorByteSize)
NOT_HERE(TF_TensorData)
NOT_HERE(TF_TensorElementCount)

static void show(const SE_Finding* finding, void* context) {
  ++*(int*)context;
  printf("%s: %s\n", finding->is_error ? "error" : "warning", finding->message);
}

static int is_ok(const TF_Status* status) {
  if (TF_GetCode(status) != TF_OK) {
    printf("status: %s\n", TF_Message(status));
  }
  return TF_GetCode(status) == TF_OK;
}

/* Sends bytes to the device and back; returns whether they are the same. */
static int copy_through(const SP_StreamExecutor* executor, const SP_Device* device, TF_Status* status) {
  const char sent[] = "through the device and back";
  char received[sizeof(sent)] = "";
  int same = 0;
  SP_DeviceMemoryBase memory;
  (void)SP_DeviceMemoryBase_Init(&memory, sizeof(memory));
  executor->allocate(device, sizeof(sent), 0, &memory);
  if (SP_DeviceMemoryBase_Check(&memory, NULL, NULL) == 0 && memory.opaque != NULL) {
    executor->sync_memcpy_htod(device, &memory, sent, sizeof(sent), status);
    if (is_ok(status)) {
      executor->sync_memcpy_dtoh(device, received, &memory, sizeof(sent), status);
    }
    same = is_ok(status) && memcmp(sent, received, sizeof(sent)) == 0;
    executor->deallocate(device, &memory);
  }
  return same;
}

static int use(const SE_InitPlugin_Library* library, TF_Status* status) {
  const SP_PlatformFns* const fns = &library->platform_fns;
  int told = 0;
  int wrong = 1;
  SP_Device device;
  SP_StreamExecutor executor;
  SE_CreateDeviceParams device_params;
  SE_CreateStreamExecutorParams executor_params;
  (void)SP_Device_Init(&device, sizeof(device));
  (void)SP_StreamExecutor_Init(&executor, sizeof(executor));
  (void)SE_CreateDeviceParams_Init(&device_params, sizeof(device_params));
  (void)SE_CreateStreamExecutorParams_Init(&executor_params, sizeof(executor_params));
  device_params.device = &device;
  executor_params.stream_executor = &executor;
  fns->create_device(&library->platform, &device_params, status);
  if (!is_ok(status)) {
    return 1;
  }
  if (SE_CreateDeviceParams_Check(&device_params, show, &told) == 0) {
    fns->create_stream_executor(&library->platform, &executor_params, status);
    if (is_ok(status)) {
      if (SE_CreateStreamExecutorParams_Check(&executor_params, &library->platform, show, &told) == 0) {
        wrong = !copy_through(&executor, &device, status);
      }
      fns->destroy_stream_executor(&library->platform, &executor);
    }
  }
  fns->destroy_device(&library->platform, &device);
  return wrong;
}

int main(int argc, char** argv) {
  int at;
  for (at = 1; at < argc; ++at) {
    SE_InitPlugin_Library library;
    int told = 0;
    TF_Status* const status = TF_NewStatus();
    SE_InitPlugin_Prepare(&library);
    if (SE_InitPlugin_Load(&library, argv[at], show, &told, status) == 0) {
      const int wrong = use(&library, status);
      printf("%s %s: %s\n", library.platform.name, library.platform.type, wrong ? "refused" : "copied");
    } else {
      printf("status %d: %s\n", (int)TF_GetCode(status), TF_Message(status));
    }
    SE_InitPlugin_Unload(&library);
    TF_DeleteStatus(status);
  }
  return 0;
}
