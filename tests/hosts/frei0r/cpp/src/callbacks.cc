// gain: multiplies the colours of each frame by a number from 0 to 2.

#include <algorithm>

#include "plugin.hpp"

namespace {
struct Gain {
  unsigned int size;
  double gain;
};
}  // namespace

int f0r_init() { return 1; }

void f0r_deinit() {}

void f0r_get_plugin_info(f0r_plugin_info_t* info) {
  if (!gain::Fill(info)) {
    return;
  }
  info->plugin_type = F0R_PLUGIN_TYPE_FILTER;
  info->color_model = F0R_COLOR_MODEL_RGBA8888;
  info->num_params = 1;
  info->explanation = "Multiplies all colours";
}

void f0r_get_param_info(f0r_param_info_t* info, int) {
  if (!gain::Fill(info)) {
    return;
  }
  info->name = "gain";
  info->type = F0R_PARAM_DOUBLE;
  info->explanation = "0.5 changes nothing";
}

f0r_instance_t f0r_construct(unsigned int width, unsigned int height) {
  return new Gain{width * height * 4, 0.5};
}

void f0r_destruct(f0r_instance_t instance) {
  delete static_cast<Gain*>(instance);
}

void f0r_set_param_value(f0r_instance_t instance, f0r_param_t param, int) {
  static_cast<Gain*>(instance)->gain = *static_cast<double*>(param);
}

void f0r_get_param_value(f0r_instance_t instance, f0r_param_t param, int) {
  *static_cast<double*>(param) = static_cast<Gain*>(instance)->gain;
}

void f0r_update(f0r_instance_t instance, double, const uint32_t* inframe,
                uint32_t* outframe) {
  const Gain* it = static_cast<Gain*>(instance);
  const auto* from = reinterpret_cast<const unsigned char*>(inframe);
  auto* to = reinterpret_cast<unsigned char*>(outframe);
  for (unsigned int at = 0; at < it->size; ++at) {
    const double value = std::min(from[at] * it->gain * 2, 255.0);
    to[at] = at % 4 == 3 ? from[at] : static_cast<unsigned char>(value);
  }
}

void f0r_update2(f0r_instance_t instance, double time, const uint32_t* inframe1,
                 const uint32_t*, const uint32_t*, uint32_t* outframe) {
  f0r_update(instance, time, inframe1, outframe);
}
