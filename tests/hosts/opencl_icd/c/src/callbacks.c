// Functions of gain that are written by hand.

#include "plugin.h"

#include <string.h>

static cl_int get_info(cl_platform_id platform, cl_platform_info name, size_t size, void* value, size_t* needed) {
  const char* text = name == CL_PLATFORM_PROFILE          ? "FULL_PROFILE"
                     : name == CL_PLATFORM_VERSION        ? "OpenCL 1.2 gain"
                     : name == CL_PLATFORM_EXTENSIONS     ? "cl_khr_icd"
                     : name == CL_PLATFORM_ICD_SUFFIX_KHR ? "GAIN"
                     : name == CL_PLATFORM_NAME || name == CL_PLATFORM_VENDOR ? "gain"
                                                                              : NULL;
  (void)platform;
  if (text == NULL || (value != NULL && size <= strlen(text))) return CL_INVALID_VALUE;
  if (value != NULL) memcpy(value, text, strlen(text) + 1);
  if (needed != NULL) *needed = strlen(text) + 1;
  return CL_SUCCESS;
}

static cl_int get_devices(cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id* devices, cl_uint* count) {
  (void)platform, (void)type, (void)n, (void)devices;
  if (count != NULL) *count = 0;
  return CL_DEVICE_NOT_FOUND;
}

static cl_context no_context(const cl_context_properties* properties, cl_device_type type,
                             void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data, cl_int* error) {
  (void)properties, (void)type, (void)notify, (void)data;
  if (error != NULL) *error = CL_DEVICE_NOT_FOUND;
  return NULL;
}

static cl_icd_dispatch functions = {
    .clGetPlatformInfo = get_info, .clGetDeviceIDs = get_devices, .clCreateContextFromType = no_context};
static struct _cl_platform_id {
  cl_icd_dispatch* dispatch;
} gain = {&functions};

// Deprecated.
void* clGetExtensionFunctionAddress(const char* func_name) {
  if (strcmp(func_name, "clIcdGetPlatformIDsKHR") == 0) return (void*)&clIcdGetPlatformIDsKHR;
  return strcmp(func_name, "clGetPlatformInfo") == 0 ? (void*)&get_info : NULL;
}

cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id* platforms,
                              cl_uint* num_platforms) {
  if (platforms == NULL && num_platforms == NULL) return CL_INVALID_VALUE;
  if (platforms != NULL && num_entries == 0) return CL_INVALID_VALUE;
  if (platforms != NULL) platforms[0] = &gain;
  if (num_platforms != NULL) *num_platforms = 1;
  return CL_SUCCESS;
}
