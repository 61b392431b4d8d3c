// gain: an amplifier with one control and one channel.

#[allow(unused_imports)]
use crate::{api::*, plugin::*};

const GAIN: usize = 0;
const INPUT: usize = 1;
const OUTPUT: usize = 2;

#[derive(Default)]
struct Gain {
    ports: [usize; 3],
    adding: f32,
}

unsafe fn sample(it: &Gain, port: usize, at: usize) -> &'static mut f32 {
    &mut *(it.ports[port] as *mut f32).add(at)
}

pub unsafe fn gain_instantiate(Descriptor: *const LADSPA_Descriptor, SampleRate: c_ulong) -> LADSPA_Handle {
    let _ = (Descriptor, SampleRate);
    Box::into_raw(Box::<Gain>::default()).cast()
}

pub unsafe fn gain_connect_port(Instance: LADSPA_Handle, Port: c_ulong, DataLocation: *mut LADSPA_Data) {
    (*Instance.cast::<Gain>()).ports[Port as usize] = DataLocation as usize;
}

pub unsafe fn gain_activate(Instance: LADSPA_Handle) {
    let _ = Instance;
}

pub unsafe fn gain_run(Instance: LADSPA_Handle, SampleCount: c_ulong) {
    let it = &*Instance.cast::<Gain>();
    for at in 0..SampleCount as usize {
        *sample(it, OUTPUT, at) = *sample(it, GAIN, 0) * *sample(it, INPUT, at);
    }
}

pub unsafe fn gain_run_adding(Instance: LADSPA_Handle, SampleCount: c_ulong) {
    let it = &*Instance.cast::<Gain>();
    for at in 0..SampleCount as usize {
        *sample(it, OUTPUT, at) += it.adding * *sample(it, GAIN, 0) * *sample(it, INPUT, at);
    }
}

pub unsafe fn gain_set_run_adding_gain(Instance: LADSPA_Handle, Gain: LADSPA_Data) {
    (*Instance.cast::<self::Gain>()).adding = Gain;
}

pub unsafe fn gain_deactivate(Instance: LADSPA_Handle) {
    let _ = Instance;
}

pub unsafe fn gain_cleanup(Instance: LADSPA_Handle) {
    drop(Box::from_raw(Instance.cast::<Gain>()));
}

struct Names([*const c_char; 3]);
unsafe impl Sync for Names {}
static NAMES: Names =
    Names([b"Gain\0".as_ptr().cast(), b"Input\0".as_ptr().cast(), b"Output\0".as_ptr().cast()]);
static PORTS: [LADSPA_PortDescriptor; 3] = [5, 9, 10];
static HINTS: [LADSPA_PortRangeHint; 3] = [
    LADSPA_PortRangeHint { HintDescriptor: 0x241, LowerBound: 0.0, UpperBound: 0.0 },
    LADSPA_PortRangeHint { HintDescriptor: 0, LowerBound: 0.0, UpperBound: 0.0 },
    LADSPA_PortRangeHint { HintDescriptor: 0, LowerBound: 0.0, UpperBound: 0.0 },
];

pub unsafe fn ladspa_descriptor(Index: c_ulong) -> *const LADSPA_Descriptor {
    if Index != 0 {
        return core::ptr::null_mut(); // it is the only one
    }
    static mut TABLE: LADSPA_Descriptor = LADSPA_Descriptor::new();
    let table = core::ptr::addr_of_mut!(TABLE);
    if !gain_fill_descriptor(table) {
        return core::ptr::null_mut();
    }
    (*table).Properties = LADSPA_PROPERTY_HARD_RT_CAPABLE as _;
    (*table).PortCount = 3;
    (*table).PortDescriptors = PORTS.as_ptr();
    (*table).PortNames = NAMES.0.as_ptr();
    (*table).PortRangeHints = HINTS.as_ptr();
    table
}
