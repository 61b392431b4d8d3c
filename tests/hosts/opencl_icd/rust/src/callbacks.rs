// Functions of gain that are written by hand.

use crate::api::*;
use std::ffi::CStr;

struct Functions(cl_icd_dispatch);
struct Platform(&'static cl_icd_dispatch);
unsafe impl Sync for Functions {}
unsafe impl Sync for Platform {}
static GAIN: Platform = Platform(&FUNCTIONS.0);
static FUNCTIONS: Functions = Functions(cl_icd_dispatch {
    clGetPlatformInfo: Some(get_info),
    clGetDeviceIDs: Some(get_devices),
    clCreateContextFromType: Some(no_context),
    ..unsafe { std::mem::zeroed() }
});

unsafe extern "C" fn get_info(
    _: cl_platform_id,
    name: cl_platform_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    let text = match name as _ {
        CL_PLATFORM_PROFILE => "FULL_PROFILE\0",
        CL_PLATFORM_VERSION => "OpenCL 1.2 gain\0",
        CL_PLATFORM_NAME | CL_PLATFORM_VENDOR => "gain\0",
        CL_PLATFORM_EXTENSIONS => "cl_khr_icd\0",
        CL_PLATFORM_ICD_SUFFIX_KHR => "GAIN\0",
        _ => return CL_INVALID_VALUE,
    };
    if !value.is_null() {
        if size < text.len() {
            return CL_INVALID_VALUE;
        }
        std::ptr::copy_nonoverlapping(text.as_ptr(), value as *mut u8, text.len());
    }
    if !needed.is_null() {
        *needed = text.len();
    }
    CL_SUCCESS
}

unsafe extern "C" fn get_devices(
    _: cl_platform_id,
    _: cl_device_type,
    _: cl_uint,
    _: *mut cl_device_id,
    count: *mut cl_uint,
) -> cl_int {
    if !count.is_null() {
        *count = 0;
    }
    CL_DEVICE_NOT_FOUND
}

unsafe extern "C" fn no_context(
    _: *const cl_context_properties,
    _: cl_device_type,
    _: Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
    _: *mut c_void,
    error: *mut cl_int,
) -> cl_context {
    if !error.is_null() {
        *error = CL_DEVICE_NOT_FOUND;
    }
    std::ptr::null_mut()
}

pub unsafe fn clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void {
    match CStr::from_ptr(func_name).to_bytes() {
        b"clIcdGetPlatformIDsKHR" => crate::plugin::clIcdGetPlatformIDsKHR as *mut c_void,
        b"clGetPlatformInfo" => get_info as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}

pub unsafe fn clIcdGetPlatformIDsKHR(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    if if platforms.is_null() { num_platforms.is_null() } else { num_entries == 0 } {
        return CL_INVALID_VALUE;
    }
    if !platforms.is_null() {
        *platforms = &GAIN.0 as *const &cl_icd_dispatch as cl_platform_id;
    }
    if !num_platforms.is_null() {
        *num_platforms = 1;
    }
    CL_SUCCESS
}
