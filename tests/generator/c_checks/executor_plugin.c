/* The plugin of tests/specs, with one thing wrong per build: see test_executor.py for the macros. */
#define SE_InitPlugin right_init
#include "../../specs/shipped/plugin.c"
#undef SE_InitPlugin

#ifndef ENTRY
#define ENTRY SE_InitPlugin
#endif
#ifndef MAJOR
#define MAJOR SE_MAJOR
#endif
#include "abigen/checks_v1.c"
#include "tensorflow/c/experimental/stream_executor/stream_executor_checks.c"

#ifndef SPOIL
#define SPOIL(params) (void)(params)
#endif

static void put_into_status(const SE_Finding* finding, void* context) {
  TF_SetStatus((TF_Status*)context, TF_FAILED_PRECONDITION, finding->message);
}

void ENTRY(SE_PlatformRegistrationParams* params, TF_Status* status);

void ENTRY(SE_PlatformRegistrationParams* params, TF_Status* status) {
  if (SE_InitPlugin_CheckCore(params, MAJOR, put_into_status, status) != 0) {
    return;
  }
  right_init(params, status);
  SPOIL(params);
}
