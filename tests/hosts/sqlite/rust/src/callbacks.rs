// gain: the SQL function double(x).

#[allow(unused_imports)]
use crate::{api::*, plugin::*};
use std::sync::atomic::{AtomicPtr, Ordering};

static API: AtomicPtr<sqlite3_api_routines> = AtomicPtr::new(core::ptr::null_mut());

unsafe extern "C" fn twice(context: *mut sqlite3_context, _count: i32, values: *mut *mut sqlite3_value) {
    let api = &*API.load(Ordering::Relaxed);
    if api.value_type.unwrap()(*values) == SQLITE_INTEGER as i32 {
        api.result_int64.unwrap()(context, 2 * api.value_int64.unwrap()(*values));
    } else {
        api.result_double.unwrap()(context, 2.0 * api.value_double.unwrap()(*values));
    }
}

pub unsafe fn sqlite3_gain_init(db: *mut sqlite3, error: *mut *mut c_char, api: *const sqlite3_api_routines) -> i32 {
    let _ = error;
    API.store(api as *mut _, Ordering::Relaxed);
    let flags = (SQLITE_UTF8 | SQLITE_DETERMINISTIC) as i32;
    let name = b"double\0".as_ptr().cast();
    (*api).create_function.unwrap()(db, name, 1, flags, core::ptr::null_mut(), Some(twice), None, None)
}
