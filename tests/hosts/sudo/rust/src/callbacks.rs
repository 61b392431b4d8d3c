// Functions of gain that are written by hand.

use crate::api::*;
use std::{ffi::CStr, fs::File, io::Write, sync::Mutex};

static LOG: Mutex<Option<File>> = Mutex::new(None);

unsafe fn write_down(name: &str, buf: *const c_char, len: u32) -> i32 {
    match &mut *LOG.lock().unwrap() {
        None => 1,
        Some(log) => {
            let text = [name.as_bytes(), b" ", std::slice::from_raw_parts(buf as *const u8, len as usize)].concat();
            log.write_all(&text).map_or(-1, |_| 1)
        }
    }
}

pub unsafe fn gain_open(
    version: u32,
    conversation: sudo_conv_t,
    sudo_plugin_printf: sudo_printf_t,
    settings: *const *mut c_char,
    user_info: *const *mut c_char,
    command_info: *const *mut c_char,
    argc: i32,
    argv: *const *mut c_char,
    user_env: *const *mut c_char,
    plugin_options: *const *mut c_char,
    errstr: *mut *const c_char,
) -> i32 {
    let _ = (conversation, sudo_plugin_printf, settings, user_info, command_info, user_env);
    if version >> 16 != SUDO_API_VERSION_MAJOR as u32 {
        return -1;
    }
    if plugin_options.is_null() || (*plugin_options).is_null() {
        return 1;
    }
    let path = CStr::from_ptr(*plugin_options).to_string_lossy();
    match File::options().append(true).create(true).open(&*path) {
        Err(_) => {
            *errstr = "gain: the log cannot be opened\0".as_ptr() as _;
            -1
        }
        Ok(mut log) => {
            for i in 0..argc as usize {
                let _ = writeln!(log, "argument {}", CStr::from_ptr(*argv.add(i)).to_string_lossy());
            }
            *LOG.lock().unwrap() = Some(log);
            1
        }
    }
}

pub unsafe fn gain_close(exit_status: i32, error: i32) {
    let _ = (exit_status, error);
    *LOG.lock().unwrap() = None;
}

pub unsafe fn gain_show_version(verbose: i32) -> i32 {
    let _ = verbose;
    1
}

pub unsafe fn gain_log_ttyin(buf: *const c_char, len: u32, errstr: *mut *const c_char) -> i32 {
    let _ = errstr;
    write_down("ttyin", buf, len)
}

pub unsafe fn gain_log_ttyout(buf: *const c_char, len: u32, errstr: *mut *const c_char) -> i32 {
    let _ = errstr;
    write_down("ttyout", buf, len)
}

pub unsafe fn gain_log_stdin(buf: *const c_char, len: u32, errstr: *mut *const c_char) -> i32 {
    let _ = errstr;
    write_down("stdin", buf, len)
}

pub unsafe fn gain_log_stdout(buf: *const c_char, len: u32, errstr: *mut *const c_char) -> i32 {
    let _ = errstr;
    write_down("stdout", buf, len)
}

pub unsafe fn gain_log_stderr(buf: *const c_char, len: u32, errstr: *mut *const c_char) -> i32 {
    let _ = errstr;
    write_down("stderr", buf, len)
}

pub unsafe fn gain_change_winsize(line: u32, cols: u32, errstr: *mut *const c_char) -> i32 {
    let _ = (line, cols, errstr);
    1
}

pub unsafe fn gain_log_suspend(signo: i32, errstr: *mut *const c_char) -> i32 {
    let _ = (signo, errstr);
    1
}
