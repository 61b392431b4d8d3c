"""Functions of gain that are written by hand."""

from _gain_plugin import ffi, lib

from .callback import callback, keep

TYPES = {
    "SetModuleAttribs": "void (*)(RedisModuleCtx*, const char*, int, int)",
    "CreateCommand": "int (*)(RedisModuleCtx*, const char*, RedisModuleCmdFunc, const char*, int, int, int)",
    "WrongArity": "int (*)(RedisModuleCtx*)",
    "StringToDouble": "int (*)(const RedisModuleString*, double*)",
    "ReplyWithError": "int (*)(RedisModuleCtx*, const char*)",
    "ReplyWithDouble": "int (*)(RedisModuleCtx*, double)",
}
redis = {}


@keep
@ffi.callback("RedisModuleCmdFunc", error=lib.REDISMODULE_ERR)
def double(ctx, argv, argc):
    number = ffi.new("double*")
    if argc != 2:
        return redis["WrongArity"](ctx)
    if redis["StringToDouble"](argv[1], number) != lib.REDISMODULE_OK:
        return redis["ReplyWithError"](ctx, b"ERR not a number")
    return redis["ReplyWithDouble"](ctx, 2 * number[0])


@callback(failed=lib.REDISMODULE_ERR, unsupported=lib.REDISMODULE_ERR)
def RedisModule_OnLoad(ctx, argv, argc):
    find = ffi.cast("int (*)(const char*, void*)", ffi.cast("void**", ctx)[0])
    for name, type in TYPES.items():
        found = ffi.new("void**")
        if find(f"RedisModule_{name}".encode(), found) != lib.REDISMODULE_OK:
            return lib.REDISMODULE_ERR
        redis[name] = ffi.cast(type, found[0])
    redis["SetModuleAttribs"](ctx, b"gain", 1, lib.REDISMODULE_APIVER_1)
    return redis["CreateCommand"](ctx, b"gain.double", double, b"fast", 0, 0, 0)
