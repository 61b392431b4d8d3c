// Functions of gain that are written by hand.

#include "plugin.hpp"

#include <cstring>

struct _cl_platform_id {
  cl_icd_dispatch* dispatch;
};

static cl_int get_info(cl_platform_id, cl_platform_info name, size_t size, void* value, size_t* needed) {
  const char* text = name == CL_PLATFORM_PROFILE          ? "FULL_PROFILE"
                     : name == CL_PLATFORM_VERSION        ? "OpenCL 1.2 gain"
                     : name == CL_PLATFORM_EXTENSIONS     ? "cl_khr_icd"
                     : name == CL_PLATFORM_ICD_SUFFIX_KHR ? "GAIN"
                     : name == CL_PLATFORM_NAME || name == CL_PLATFORM_VENDOR ? "gain"
                                                                              : nullptr;
  if (text == nullptr || (value != nullptr && size <= std::strlen(text))) return CL_INVALID_VALUE;
  if (value != nullptr) std::strcpy(static_cast<char*>(value), text);
  if (needed != nullptr) *needed = std::strlen(text) + 1;
  return CL_SUCCESS;
}

static cl_int get_devices(cl_platform_id, cl_device_type, cl_uint, cl_device_id*, cl_uint* count) {
  if (count != nullptr) *count = 0;
  return CL_DEVICE_NOT_FOUND;
}

static cl_context no_context(const cl_context_properties*, cl_device_type,
                             void (*)(const char*, const void*, size_t, void*), void*, cl_int* error) {
  if (error != nullptr) *error = CL_DEVICE_NOT_FOUND;
  return nullptr;
}

static cl_icd_dispatch functions = [] {
  cl_icd_dispatch table{};
  table.clGetPlatformInfo = get_info;
  table.clGetDeviceIDs = get_devices;
  table.clCreateContextFromType = no_context;
  return table;
}();
static _cl_platform_id gain_platform{&functions};

void* clGetExtensionFunctionAddress(const char* func_name) {
  if (std::strcmp(func_name, "clIcdGetPlatformIDsKHR") == 0) return reinterpret_cast<void*>(clIcdGetPlatformIDsKHR);
  return std::strcmp(func_name, "clGetPlatformInfo") == 0 ? reinterpret_cast<void*>(get_info) : nullptr;
}

cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  if (platforms == nullptr ? num_platforms == nullptr : num_entries == 0) return CL_INVALID_VALUE;
  if (platforms != nullptr) platforms[0] = &gain_platform;
  if (num_platforms != nullptr) *num_platforms = 1;
  return CL_SUCCESS;
}
