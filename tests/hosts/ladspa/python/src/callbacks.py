"""gain: an amplifier with one control and one channel."""

from _gain_plugin import ffi, lib

from .callback import callback, keep

GAIN, INPUT, OUTPUT = range(3)
instances = {}


@callback(failed=ffi.NULL, unsupported=ffi.NULL)
def gain_instantiate(Descriptor, SampleRate):
    handle = ffi.new_handle(it := {"ports": [ffi.NULL] * 3, "adding": 0.0})
    instances[handle] = it
    return handle


@callback
def gain_connect_port(Instance, Port, DataLocation):
    instances[Instance]["ports"][Port] = DataLocation


@callback
def gain_activate(Instance):
    pass


@callback
def gain_run(Instance, SampleCount):
    ports = instances[Instance]["ports"]
    for at in range(SampleCount):
        ports[OUTPUT][at] = ports[GAIN][0] * ports[INPUT][at]


@callback
def gain_run_adding(Instance, SampleCount):
    ports = instances[Instance]["ports"]
    for at in range(SampleCount):
        ports[OUTPUT][at] += instances[Instance]["adding"] * ports[GAIN][0] * ports[INPUT][at]


@callback
def gain_set_run_adding_gain(Instance, Gain):
    instances[Instance]["adding"] = Gain


@callback
def gain_deactivate(Instance):
    pass


@callback
def gain_cleanup(Instance):
    del instances[Instance]


texts = [keep(ffi.new("char[]", text)) for text in (b"Gain", b"Input", b"Output")]
names = keep(ffi.new("char*[]", texts))
ports = keep(ffi.new("LADSPA_PortDescriptor[]", [5, 9, 10]))
hints = keep(ffi.new("LADSPA_PortRangeHint[3]", [(0x241, 0, 0)]))
table = keep(ffi.new("LADSPA_Descriptor*"))


@callback(failed=ffi.NULL, unsupported=ffi.NULL)
def ladspa_descriptor(Index):
    if Index != 0:
        return ffi.NULL  # it is the only one
    if not lib.gain_fill_descriptor(table):
        return ffi.NULL
    table.Properties, table.PortCount = lib.LADSPA_PROPERTY_HARD_RT_CAPABLE, 3
    table.PortDescriptors, table.PortNames, table.PortRangeHints = ports, names, hints
    return table
