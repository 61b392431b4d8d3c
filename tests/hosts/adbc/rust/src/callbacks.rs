// Functions of gain that are written by hand.

use crate::{api::*, plugin::*};
use std::{ffi::CStr, mem::zeroed, ptr::null};

struct Buffers([*const c_void; 2]);
unsafe impl Sync for Buffers {}
static NUMBERS: [i64; 3] = [1, 2, 3];
static COLUMN: Buffers = Buffers([null(), &NUMBERS as *const [i64; 3] as *const c_void]);
static BATCH: Buffers = Buffers([null(); 2]);

macro_rules! text {
    ($text:expr) => {
        concat!($text, "\0").as_ptr() as *const c_char
    };
}

/// Fills a struct of Arrow's that has one child, and gives a function that releases both.
macro_rules! parent {
    ($type:ident, $out:expr, $child:expr) => {{
        unsafe extern "C" fn release(it: *mut $type) {
            if (*it).n_children == 1 {
                let children = Box::from_raw((*it).children as *mut [*mut $type; 1]);
                if let Some(release) = (*children[0]).release {
                    release(children[0]);
                }
                drop(Box::from_raw(children[0]));
            }
            (*it).release = None;
        }
        let child = Box::new($type { release: Some(release), ..$child });
        (*$out).n_children = 1;
        (*$out).children = Box::into_raw(Box::new([Box::into_raw(child)])) as *mut *mut $type;
        (*$out).release = Some(release);
    }};
}

unsafe extern "C" fn get_schema(_: *mut ArrowArrayStream, out: *mut ArrowSchema) -> i32 {
    *out = ArrowSchema { format: text!("+s"), name: text!(""), ..zeroed() };
    parent!(ArrowSchema, out, ArrowSchema { format: text!("l"), name: text!("gain"), ..zeroed() });
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> i32 {
    let left = (*stream).private_data as *mut i32;
    *out = zeroed();
    if *left > 0 {
        *left -= 1;
        *out = ArrowArray { length: 3, n_buffers: 1, buffers: BATCH.0.as_ptr() as _, ..zeroed() };
        parent!(ArrowArray, out, ArrowArray { length: 3, n_buffers: 2, buffers: COLUMN.0.as_ptr() as _, ..zeroed() });
    }
    0
}

unsafe extern "C" fn get_last_error(_: *mut ArrowArrayStream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    drop(Box::from_raw((*stream).private_data as *mut i32));
    (*stream).release = None;
}

unsafe fn make(object: &mut *mut c_void) -> AdbcStatusCode {
    *object = Box::into_raw(Box::<Vec<u8>>::default()) as *mut c_void;
    ADBC_STATUS_OK
}

unsafe fn end(object: &mut *mut c_void) -> AdbcStatusCode {
    if object.is_null() {
        return ADBC_STATUS_INVALID_STATE;
    }
    drop(Box::from_raw(*object as *mut Vec<u8>));
    *object = std::ptr::null_mut();
    ADBC_STATUS_OK
}

fn ready(object: *mut c_void) -> AdbcStatusCode {
    if object.is_null() { ADBC_STATUS_INVALID_STATE } else { ADBC_STATUS_OK }
}

pub unsafe fn gain_driver_release(_: *mut AdbcDriver, _: *mut AdbcError) -> AdbcStatusCode {
    ADBC_STATUS_OK
}

pub unsafe fn gain_DatabaseInit(database: *mut AdbcDatabase, _: *mut AdbcError) -> AdbcStatusCode {
    ready((*database).private_data)
}

pub unsafe fn gain_DatabaseNew(database: *mut AdbcDatabase, _: *mut AdbcError) -> AdbcStatusCode {
    make(&mut (*database).private_data)
}

pub unsafe fn gain_DatabaseRelease(database: *mut AdbcDatabase, _: *mut AdbcError) -> AdbcStatusCode {
    end(&mut (*database).private_data)
}

pub unsafe fn gain_ConnectionInit(
    connection: *mut AdbcConnection,
    _: *mut AdbcDatabase,
    _: *mut AdbcError,
) -> AdbcStatusCode {
    ready((*connection).private_data)
}

pub unsafe fn gain_ConnectionNew(connection: *mut AdbcConnection, _: *mut AdbcError) -> AdbcStatusCode {
    make(&mut (*connection).private_data)
}

pub unsafe fn gain_ConnectionRelease(connection: *mut AdbcConnection, _: *mut AdbcError) -> AdbcStatusCode {
    end(&mut (*connection).private_data)
}

pub unsafe fn gain_StatementNew(
    _: *mut AdbcConnection,
    statement: *mut AdbcStatement,
    _: *mut AdbcError,
) -> AdbcStatusCode {
    make(&mut (*statement).private_data)
}

pub unsafe fn gain_StatementRelease(statement: *mut AdbcStatement, _: *mut AdbcError) -> AdbcStatusCode {
    end(&mut (*statement).private_data)
}

pub unsafe fn gain_StatementSetSqlQuery(
    statement: *mut AdbcStatement,
    query: *const c_char,
    _: *mut AdbcError,
) -> AdbcStatusCode {
    match ((*statement).private_data as *mut Vec<u8>).as_mut() {
        None => ADBC_STATUS_INVALID_STATE,
        Some(own) => {
            *own = CStr::from_ptr(query).to_bytes().to_vec();
            ADBC_STATUS_OK
        }
    }
}

pub unsafe fn gain_StatementExecuteQuery(
    statement: *mut AdbcStatement,
    out: *mut ArrowArrayStream,
    rows_affected: *mut i64,
    _: *mut AdbcError,
) -> AdbcStatusCode {
    match ((*statement).private_data as *mut Vec<u8>).as_ref() {
        None => ADBC_STATUS_INVALID_STATE,
        Some(own) if !own.starts_with(b"SELECT") => ADBC_STATUS_INVALID_ARGUMENT,
        Some(_) => {
            if !rows_affected.is_null() {
                *rows_affected = 3;
            }
            if !out.is_null() {
                *out = ArrowArrayStream {
                    get_schema: Some(get_schema),
                    get_next: Some(get_next),
                    get_last_error: Some(get_last_error),
                    release: Some(release_stream),
                    private_data: Box::into_raw(Box::new(1)) as *mut c_void,
                };
            }
            ADBC_STATUS_OK
        }
    }
}
