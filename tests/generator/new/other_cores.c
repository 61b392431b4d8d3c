/* Cores of all sizes: each object that the plugin is handed is as large as its struct_size says and not a byte larger,
   from what holds the size alone to more than the plugin knows. Run with AddressSanitizer, which notices each byte beyond.
   cc -fsanitize=address other_cores.c PLUGIN_SOURCES generated/core.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

struct TSL_Status {
  TF_Code code;
  char message[1024];
};

TF_Status* TF_NewStatus(void) { return calloc(1, sizeof(TF_Status)); }
void TF_DeleteStatus(TF_Status* status) { free(status); }
void TF_SetStatus(TF_Status* status, TF_Code code, const char* message) {
  status->code = code;
  (void)snprintf(status->message, sizeof(status->message), "%s", message);
}
TF_Code TF_GetCode(const TF_Status* status) { return status->code; }
const char* TF_Message(const TF_Status* status) { return status->message; }

static TF_Status status;
static int wrong = 0;

/* An object of so many bytes that holds its size, and noise. */
static void* object_of(size_t size) {
  unsigned char* const object = malloc(size);
  memset(object, 0xA5, size);
  memcpy(object, &size, sizeof(size));
  return object;
}

/* What both sides have agreed on is set; what only core knows is as it was; a refusal says why. */
static void expect(const char* what, const void* object, size_t size, size_t known, int done, int enough) {
  const unsigned char* const bytes = object;
  size_t at;
  if (done != enough) {
    ++wrong;
    (void)printf("%s of %zu bytes: %s %s\n", what, size, done ? "taken" : "refused", status.message);
  }
  for (at = known; at < size; ++at) {
    if (bytes[at] != 0xA5) {
      ++wrong;
      (void)printf("%s of %zu bytes: byte %zu was touched\n", what, size, at);
      break;
    }
  }
  if (!done && (TF_GetCode(&status) != TF_FAILED_PRECONDITION || strstr(status.message, "core") == NULL)) {
    ++wrong;
    (void)printf("%s of %zu bytes: refused without a word\n", what, size);
  }
}

#define END(type, member) (offsetof(type, member) + sizeof(((type*)0)->member))
#define TRY_ALL(fill, type, last, needed)                                                                      \
  do {                                                                                                         \
    size_t size;                                                                                               \
    for (size = sizeof(size_t); size <= sizeof(type) + 32; ++size) {                                           \
      type* const object = object_of(size);                                                                    \
      const int done = fill(object, &status);                                                                  \
      expect(#type, object, size, END(type, last), done, size >= END(type, needed));                           \
      if (done && object->struct_size != (size < END(type, last) ? size : END(type, last))) {                  \
        ++wrong;                                                                                               \
        (void)printf(#type " of %zu bytes: its size became %zu\n", size, object->struct_size);                 \
      }                                                                                                        \
      free(object);                                                                                            \
    }                                                                                                          \
  } while (0)

/* Registration with a platform, functions or parameters of each size. */
static void register_all(void) {
  size_t size;
  for (size = sizeof(size_t); size <= sizeof(SP_Platform) + 32; ++size) {
    SE_PlatformRegistrationParams params = SE_PLATFORM_REGISTRATION_PARAMS_INITIALIZER;
    SP_PlatformFns fns = SP_PLATFORM_FNS_INITIALIZER;
    params.platform = object_of(size);
    params.platform_fns = &fns;
    SE_InitPlugin(&params, &status);
    expect("registration", params.platform, size, END(SP_Platform, force_memory_growth), status.code == TF_OK,
           size >= END(SP_Platform, type));
    if (status.code == TF_OK) {
      params.destroy_platform_fns(&fns);
      params.destroy_platform(params.platform);
    }
    free(params.platform);
  }
  for (size = sizeof(size_t); size < sizeof(SE_PlatformRegistrationParams); ++size) {
    SE_PlatformRegistrationParams* const params = object_of(size);
    SE_InitPlugin(params, &status);
    expect("parameters", params, size, size, status.code == TF_OK, 0);
    free(params);
  }
}

/* A device, its memory and its statistics of each size. */
static void use_all(void) {
  size_t size;
  SP_Device device = SP_DEVICE_INITIALIZER;
  SE_CreateDeviceParams params = SE_CREATE_DEVICE_PARAMS_INITIALIZER;
  for (size = sizeof(size_t); size <= sizeof(SP_Device) + 32; ++size) {
    params.device = object_of(size);
    xpu_create_device(NULL, &params, &status);
    expect("device", params.device, size, END(SP_Device, pci_bus_id), status.code == TF_OK,
           size >= END(SP_Device, device_handle));
    if (status.code == TF_OK) {
      xpu_destroy_device(NULL, params.device);
    }
    free(params.device);
  }
  params.device = &device;
  xpu_create_device(NULL, &params, &status);
  for (size = sizeof(size_t); size <= sizeof(SP_DeviceMemoryBase) + 32; ++size) {
    SP_DeviceMemoryBase* const memory = object_of(size);
    xpu_allocate(&device, 64, 0, memory);
    if (size >= END(SP_DeviceMemoryBase, size) && memory->opaque == NULL) {
      ++wrong;
      (void)printf("nothing in memory of %zu bytes\n", size);
    }
    xpu_deallocate(&device, memory);
    free(memory);
  }
  for (size = sizeof(size_t); size <= sizeof(SP_AllocatorStats) + 32; ++size) {
    SP_AllocatorStats* const stats = object_of(size);
    if (xpu_get_allocator_stats(&device, stats) != (size >= END(SP_AllocatorStats, largest_free_block_bytes))) {
      ++wrong;
      (void)printf("statistics of %zu bytes\n", size);
    }
    free(stats);
  }
  xpu_destroy_device(NULL, &device);
}

/* A core of another major version is told who has to be updated. */
static void meet_another_major(int offset, const char* who) {
  SE_PlatformRegistrationParams params = SE_PLATFORM_REGISTRATION_PARAMS_INITIALIZER;
  params.major_version = SE_MAJOR + offset;
  SE_InitPlugin(&params, &status);
  if (status.code != TF_FAILED_PRECONDITION || strstr(status.message, who) == NULL) {
    ++wrong;
    (void)printf("another major version: %s\n", status.message);
  }
}

int main(void) {
  TRY_ALL(xpu_fill_timer_fns, SP_TimerFns, nanoseconds, nanoseconds);
  TRY_ALL(xpu_fill_device_fns, SP_DeviceFns, get_gflops, struct_size);
  TRY_ALL(xpu_fill_stream_executor, SP_StreamExecutor, host_callback, host_callback);
  TRY_ALL(xpu_fill_platform_fns, SP_PlatformFns, destroy_timer_fns, destroy_timer_fns);
  TRY_ALL(xpu_fill_platform, SP_Platform, force_memory_growth, type);
  register_all();
  use_all();
  meet_another_major(1, "the plugin is older and must be updated");
  meet_another_major(-1, "core is older and must be updated");
  return wrong != 0;
}
