"""Functions of gain that are written by hand."""

from _gain_plugin import ffi, lib

from .callback import callback, keep

numbers = keep(ffi.new("int64_t[]", [1, 2, 3]))
column_buffers = keep(ffi.new("const void*[]", [ffi.NULL, numbers]))
batch_buffers = keep(ffi.new("const void*[1]"))
texts = {text: keep(ffi.new("char[]", text)) for text in (b"", b"+s", b"l", b"gain")}
alive = {}


def own(*objects):
    """Keep objects alive until `end` is called with the number that C stores for them."""
    handle = ffi.new_handle(objects)
    alive[handle] = objects
    return handle


def end(owner):
    """Release the objects that a struct of C owns."""
    if not owner.private_data:
        return lib.ADBC_STATUS_INVALID_STATE
    alive.pop(owner.private_data)
    owner.private_data = ffi.NULL
    return lib.ADBC_STATUS_OK


def released(type):
    """Return a function that releases a struct of Arrow's."""

    @keep
    @ffi.callback(f"void (*)(struct {type}*)")
    def release(it):
        for i in range(it.n_children if type != "ArrowArrayStream" else 0):
            if it.children[i].release:
                it.children[i].release(it.children[i])
        end(it)
        it.release = ffi.NULL

    return release


release = {type: released(type) for type in ("ArrowSchema", "ArrowArray", "ArrowArrayStream")}


def parent(type, out, values, child_values):
    """Fill a struct of Arrow's that has one child."""
    child = ffi.new(f"struct {type}*", child_values | {"release": release[type]})
    children = ffi.new(f"struct {type}*[1]", [child])
    out[0] = ffi.new(f"struct {type}*", values | {"n_children": 1, "children": children, "release": release[type]})[0]
    out.private_data = own(child, children)


@keep
@ffi.callback("int (*)(struct ArrowArrayStream*, struct ArrowSchema*)", error=5)
def get_schema(stream, out):
    parent(
        "ArrowSchema",
        out,
        {"format": texts[b"+s"], "name": texts[b""]},
        {"format": texts[b"l"], "name": texts[b"gain"]},
    )
    return 0


@keep
@ffi.callback("int (*)(struct ArrowArrayStream*, struct ArrowArray*)", error=5)
def get_next(stream, out):
    batches = ffi.from_handle(stream.private_data)[0]
    if batches:
        batches.pop()
        batch = {"length": 3, "n_buffers": 1, "buffers": batch_buffers}
        parent("ArrowArray", out, batch, {"length": 3, "n_buffers": 2, "buffers": column_buffers})
    else:
        out[0] = ffi.new("struct ArrowArray*")[0]
    return 0


@keep
@ffi.callback("const char* (*)(struct ArrowArrayStream*)")
def get_last_error(stream):
    return ffi.NULL


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_driver_release(driver, error):
    return lib.ADBC_STATUS_OK


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_DatabaseInit(database, error):
    return lib.ADBC_STATUS_OK if database.private_data else lib.ADBC_STATUS_INVALID_STATE


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_DatabaseNew(database, error):
    database.private_data = own({})
    return lib.ADBC_STATUS_OK


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_DatabaseRelease(database, error):
    return end(database)


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_ConnectionInit(connection, database, error):
    return lib.ADBC_STATUS_OK if connection.private_data else lib.ADBC_STATUS_INVALID_STATE


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_ConnectionNew(connection, error):
    connection.private_data = own({})
    return lib.ADBC_STATUS_OK


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_ConnectionRelease(connection, error):
    return end(connection)


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_StatementNew(connection, statement, error):
    statement.private_data = own({})
    return lib.ADBC_STATUS_OK


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_StatementRelease(statement, error):
    return end(statement)


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_StatementSetSqlQuery(statement, query, error):
    if not statement.private_data:
        return lib.ADBC_STATUS_INVALID_STATE
    ffi.from_handle(statement.private_data)[0]["query"] = ffi.string(query)
    return lib.ADBC_STATUS_OK


@callback(failed=lib.ADBC_STATUS_INTERNAL, unsupported=lib.ADBC_STATUS_NOT_IMPLEMENTED)
def gain_StatementExecuteQuery(statement, out, rows_affected, error):
    if not statement.private_data:
        return lib.ADBC_STATUS_INVALID_STATE
    if not ffi.from_handle(statement.private_data)[0].get("query", b"").startswith(b"SELECT"):
        return lib.ADBC_STATUS_INVALID_ARGUMENT
    if rows_affected:
        rows_affected[0] = 3
    if out:
        out.get_schema, out.get_next, out.get_last_error = get_schema, get_next, get_last_error
        out.release, out.private_data = release["ArrowArrayStream"], own(["the only batch"])
    return lib.ADBC_STATUS_OK
