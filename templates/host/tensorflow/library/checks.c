// What a plugin has filled, checked by what abigen generates for the API.
//
// The generated functions stay hidden: a plugin may have its own copies, of another release, under the same names.

#include "abigen/checks_v1.c"
#include "tensorflow/c/experimental/stream_executor/stream_executor_checks.c"

#include "internal.h"

typedef struct Report {
  abigen_core_report report;
  void* context;
} Report;

static void Pass(const SE_Finding* finding, void* context) {
  const Report* report = context;
  report->report(report->context, finding->is_error, finding->message);
}

int abigen_core_check_registration(const void* params, abigen_core_report report, void* context) {
  Report own = {report, context};
  return SE_PlatformRegistrationParams_Check(params, Pass, &own);
}

int abigen_core_check_device(const void* device, abigen_core_report report, void* context) {
  Report own = {report, context};
  return SP_Device_Check(device, Pass, &own);
}

int abigen_core_check_device_fns(const void* device_fns, abigen_core_report report, void* context) {
  Report own = {report, context};
  return SP_DeviceFns_Check(device_fns, Pass, &own);
}

int abigen_core_check_stream_executor(const void* executor, const void* platform, abigen_core_report report,
                                      void* context) {
  Report own = {report, context};
  return SP_StreamExecutor_Check(executor, platform, Pass, &own);
}

int abigen_core_check_timer_fns(const void* timer_fns, abigen_core_report report, void* context) {
  Report own = {report, context};
  return SP_TimerFns_Check(timer_fns, Pass, &own);
}
