// Functions of gain that are written by hand.

use crate::api::*;

type Ctx = *mut RedisModuleCtx;
type Text = *mut RedisModuleString;

/// Functions of the server, which it gives by their names.
#[derive(Clone, Copy)]
struct Server {
    set_module: unsafe extern "C" fn(Ctx, *const c_char, i32, i32),
    create_command: unsafe extern "C" fn(Ctx, *const c_char, RedisModuleCmdFunc, *const c_char, i32, i32, i32) -> i32,
    wrong_arity: unsafe extern "C" fn(Ctx) -> i32,
    to_double: unsafe extern "C" fn(*const RedisModuleString, *mut f64) -> i32,
    error: unsafe extern "C" fn(Ctx, *const c_char) -> i32,
    double: unsafe extern "C" fn(Ctx, f64) -> i32,
}

static mut SERVER: Option<Server> = None;

macro_rules! text {
    ($text:expr) => {
        concat!($text, "\0").as_ptr() as *const c_char
    };
}

unsafe fn found(ctx: Ctx) -> Option<Server> {
    let find = *(ctx as *const unsafe extern "C" fn(*const c_char, *mut c_void) -> i32);
    let mut server = std::mem::MaybeUninit::<Server>::zeroed();
    let names = [
        text!("RedisModule_SetModuleAttribs"),
        text!("RedisModule_CreateCommand"),
        text!("RedisModule_WrongArity"),
        text!("RedisModule_StringToDouble"),
        text!("RedisModule_ReplyWithError"),
        text!("RedisModule_ReplyWithDouble"),
    ];
    for (i, name) in names.into_iter().enumerate() {
        if find(name, (server.as_mut_ptr() as *mut *mut c_void).add(i) as *mut c_void) != REDISMODULE_OK {
            return None;
        }
    }
    Some(server.assume_init())
}

unsafe extern "C" fn gain_double(ctx: Ctx, argv: *mut Text, argc: i32) -> i32 {
    let mut number = 0.0;
    match SERVER {
        None => REDISMODULE_ERR,
        Some(server) if argc != 2 => (server.wrong_arity)(ctx),
        Some(server) if (server.to_double)(*argv.add(1), &mut number) != REDISMODULE_OK => {
            (server.error)(ctx, text!("ERR not a number"))
        }
        Some(server) => (server.double)(ctx, 2.0 * number),
    }
}

pub unsafe fn RedisModule_OnLoad(ctx: *mut RedisModuleCtx, argv: *mut *mut RedisModuleString, argc: i32) -> i32 {
    let _ = (argv, argc);
    SERVER = found(ctx);
    match SERVER {
        None => REDISMODULE_ERR,
        Some(server) => {
            (server.set_module)(ctx, text!("gain"), 1, REDISMODULE_APIVER_1);
            (server.create_command)(ctx, text!("gain.double"), Some(gain_double), text!("fast"), 0, 0, 0)
        }
    }
}
