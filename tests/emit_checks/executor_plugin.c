/* The plugin of tests/specs, with one thing wrong per build: see test_executor.py for the macros. */
#define SE_InitPlugin right_init
#include "../specs/plugin.c"
#undef SE_InitPlugin

#ifndef MAJOR
#define MAJOR SE_MAJOR
#endif
#ifndef SPOIL
#define SPOIL(params) (void)(params)
#endif

void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  if (params->major_version != MAJOR) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION, "built for another major version");
    return;
  }
  right_init(params, status);
  SPOIL(params);
}
