"""gain: the SQL function double(x)."""

from _gain_plugin import ffi, lib

from .callback import callback, keep

core = {}


@ffi.callback("void(sqlite3_context*, int, sqlite3_value**)")
def twice(context, count, values):
    api = core["api"]
    if api.value_type(values[0]) == lib.SQLITE_INTEGER:
        api.result_int64(context, 2 * api.value_int64(values[0]))
    else:
        api.result_double(context, 2 * api.value_double(values[0]))


@callback(failed=lib.SQLITE_ERROR, unsupported=lib.SQLITE_ERROR)
def sqlite3_gain_init(db, error, api):
    core["api"] = api
    flags = lib.SQLITE_UTF8 | lib.SQLITE_DETERMINISTIC
    return api.create_function(db, b"double", 1, flags, ffi.NULL, twice, ffi.NULL, ffi.NULL)
