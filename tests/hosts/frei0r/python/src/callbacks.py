"""gain: multiplies the colours of each frame by a number from 0 to 2."""

from _gain_plugin import ffi, lib

from .callback import callback, keep

NAME, TEXT = keep(ffi.new("char[]", b"gain")), keep(ffi.new("char[]", b"0.5 changes nothing"))
instances = {}


@callback
def f0r_init():
    return 1


@callback
def f0r_deinit():
    pass


@callback
def f0r_get_plugin_info(info):
    if not lib.gain_fill_plugin_info_t(info):
        return
    info.plugin_type = lib.F0R_PLUGIN_TYPE_FILTER
    info.color_model = lib.F0R_COLOR_MODEL_RGBA8888
    info.num_params = 1
    info.explanation = TEXT


@callback
def f0r_get_param_info(info, param_index):
    if not lib.gain_fill_param_info_t(info):
        return
    info.name, info.type, info.explanation = NAME, lib.F0R_PARAM_DOUBLE, TEXT


@callback(failed=ffi.NULL, unsupported=ffi.NULL)
def f0r_construct(width, height):
    handle = ffi.new_handle(it := {"size": width * height * 4, "gain": 0.5})
    instances[handle] = it
    return handle


@callback
def f0r_destruct(instance):
    del instances[instance]


@callback
def f0r_set_param_value(instance, param, param_index):
    instances[instance]["gain"] = ffi.cast("double*", param)[0]


@callback
def f0r_get_param_value(instance, param, param_index):
    ffi.cast("double*", param)[0] = instances[instance]["gain"]


@callback
def f0r_update(instance, time, inframe, outframe):
    it = instances[instance]
    table = bytes(min(255, int(value * it["gain"] * 2)) for value in range(256))
    frame = ffi.buffer(ffi.cast("unsigned char*", inframe), it["size"])
    changed = bytearray(frame[:].translate(table))
    changed[3::4] = frame[:][3::4]
    ffi.memmove(outframe, changed, it["size"])


@callback
def f0r_update2(instance, time, inframe1, inframe2, inframe3, outframe):
    f0r_update(instance, time, inframe1, outframe)
