// gain: multiplies the colours of each frame by a number from 0 to 2.

#[allow(unused_imports)]
use crate::{api::*, plugin::*};

struct Gain {
    size: usize,
    gain: f64,
}

pub unsafe fn f0r_init() -> i32 {
    1
}

pub unsafe fn f0r_deinit() {}

pub unsafe fn f0r_get_plugin_info(info: *mut f0r_plugin_info_t) {
    if !gain_fill_plugin_info_t(info) {
        return;
    }
    (*info).plugin_type = F0R_PLUGIN_TYPE_FILTER as _;
    (*info).color_model = F0R_COLOR_MODEL_RGBA8888 as _;
    (*info).num_params = 1;
    (*info).explanation = b"Multiplies all colours\0".as_ptr().cast();
}

pub unsafe fn f0r_get_param_info(info: *mut f0r_param_info_t, param_index: i32) {
    let _ = param_index;
    if !gain_fill_param_info_t(info) {
        return;
    }
    (*info).name = b"gain\0".as_ptr().cast();
    (*info).type_ = F0R_PARAM_DOUBLE as _;
    (*info).explanation = b"0.5 changes nothing\0".as_ptr().cast();
}

pub unsafe fn f0r_construct(width: u32, height: u32) -> f0r_instance_t {
    let size = (width * height * 4) as usize;
    Box::into_raw(Box::new(Gain { size, gain: 0.5 })).cast()
}

pub unsafe fn f0r_destruct(instance: f0r_instance_t) {
    drop(Box::from_raw(instance.cast::<Gain>()));
}

pub unsafe fn f0r_set_param_value(instance: f0r_instance_t, param: f0r_param_t, param_index: i32) {
    let _ = param_index;
    (*instance.cast::<Gain>()).gain = *param.cast::<f64>();
}

pub unsafe fn f0r_get_param_value(instance: f0r_instance_t, param: f0r_param_t, param_index: i32) {
    let _ = param_index;
    *param.cast::<f64>() = (*instance.cast::<Gain>()).gain;
}

pub unsafe fn f0r_update(instance: f0r_instance_t, time: f64, inframe: *const u32, outframe: *mut u32) {
    let _ = time;
    let it = &*instance.cast::<Gain>();
    let from = core::slice::from_raw_parts(inframe.cast::<u8>(), it.size);
    let to = core::slice::from_raw_parts_mut(outframe.cast::<u8>(), it.size);
    for (at, value) in from.iter().enumerate() {
        to[at] = if at % 4 == 3 { *value } else { (f64::from(*value) * it.gain * 2.0) as u8 };
    }
}

pub unsafe fn f0r_update2(
    instance: f0r_instance_t,
    time: f64,
    inframe1: *const u32,
    inframe2: *const u32,
    inframe3: *const u32,
    outframe: *mut u32,
) {
    let _ = (inframe2, inframe3);
    f0r_update(instance, time, inframe1, outframe)
}
