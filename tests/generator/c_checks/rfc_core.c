/* A core for plugins of the API that the RFC proposed; it says why each is refused.
   cc -rdynamic -I generated/rfc/c -I generated/rfc/c-checks tests/emit_checks/rfc_core.c
   .../stream_executor_checks.c generated/c-checks/abigen/checks_v1.c -ldl -o core */
#include <stdio.h>
#include <string.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor_asserts.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor_checks.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor_helpers.h"

struct TF_Status {
  TF_Code code;
  char message[512];
};

void TF_SetStatus(TF_Status* status, TF_Code code, const char* message) {
  status->code = code;
  (void)snprintf(status->message, sizeof(status->message), "%s", message);
}

TF_Code TF_GetCode(const TF_Status* status) { return status->code; }

const char* TF_Message(const TF_Status* status) { return status->message; }

static void show(const SE_Finding* finding, void* context) {
  (void)context;
  printf("%s\n", finding->message);
}

/* What a plugin's allocator says of itself decides what its functions have to be. */
static void allocators(void) {
  SP_Allocator allocator;
  SP_AllocatorFns fns;
  SE_CreateAllocatorParams params;
  (void)SP_Allocator_Init(&allocator, sizeof(allocator));
  (void)SP_AllocatorFns_Init(&fns, sizeof(fns));
  (void)SE_CreateAllocatorParams_Init(&params, sizeof(params));
  params.allocator = &allocator;
  params.allocator_fns = &fns;
  printf("%d\n", SE_CreateAllocatorParams_Check(&params, NULL, NULL));
  allocator.supports_unified_memory = 1;
  printf("%d\n", SE_CreateAllocatorParams_Check(&params, NULL, NULL));
}

int main(int argc, char** argv) {
  int at;
  for (at = 1; at < argc; ++at) {
    SE_InitPlugin_Library library;
    TF_Status status;
    int errors;
    SE_InitPlugin_Prepare(&library);
    errors = SE_InitPlugin_Load(&library, argv[at], show, NULL, &status);
    printf("%d errors, status %d\n", errors, (int)TF_GetCode(&status));
    SE_InitPlugin_Unload(&library);
  }
  allocators();
  return 0;
}
