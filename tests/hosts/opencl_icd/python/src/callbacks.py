"""Functions of gain that are written by hand."""

from _gain_plugin import ffi, lib

from .callback import callback, keep

TEXTS = {
    lib.CL_PLATFORM_PROFILE: b"FULL_PROFILE\0",
    lib.CL_PLATFORM_VERSION: b"OpenCL 1.2 gain\0",
    lib.CL_PLATFORM_NAME: b"gain\0",
    lib.CL_PLATFORM_VENDOR: b"gain\0",
    lib.CL_PLATFORM_EXTENSIONS: b"cl_khr_icd\0",
    lib.CL_PLATFORM_ICD_SUFFIX_KHR: b"GAIN\0",
}
table = keep(ffi.new("cl_icd_dispatch*"))
platform = keep(ffi.new("cl_icd_dispatch**", table))


def member(function):
    """Put a function into the table."""
    type = ffi.typeof(getattr(table, function.__name__))
    setattr(table, function.__name__, keep(ffi.callback(type, function, error=lib.CL_INVALID_OPERATION)))
    return function


@member
def clGetPlatformInfo(platform, name, size, value, needed):
    text = TEXTS.get(name, b"")
    if not text or (value and size < len(text)):
        return lib.CL_INVALID_VALUE
    if value:
        ffi.memmove(value, text, len(text))
    if needed:
        needed[0] = len(text)
    return lib.CL_SUCCESS


@member
def clGetDeviceIDs(platform, type, length, devices, count):
    if count:
        count[0] = 0
    return lib.CL_DEVICE_NOT_FOUND


@keep
@ffi.callback("cl_api_clCreateContextFromType")
def no_context(properties, type, notify, data, error):
    if error:
        error[0] = lib.CL_DEVICE_NOT_FOUND
    return ffi.NULL


table.clCreateContextFromType = no_context


@callback
def clGetExtensionFunctionAddress(func_name):
    name = ffi.string(func_name)
    if name == b"clIcdGetPlatformIDsKHR":
        return ffi.addressof(lib, "clIcdGetPlatformIDsKHR")
    return table.clGetPlatformInfo if name == b"clGetPlatformInfo" else ffi.NULL


@callback(failed=lib.CL_INVALID_OPERATION, unsupported=lib.CL_DEVICE_NOT_FOUND)
def clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms):
    if num_entries == 0 if platforms else not num_platforms:
        return lib.CL_INVALID_VALUE
    if platforms:
        platforms[0] = ffi.cast("cl_platform_id", platform)
    if num_platforms:
        num_platforms[0] = 1
    return lib.CL_SUCCESS
