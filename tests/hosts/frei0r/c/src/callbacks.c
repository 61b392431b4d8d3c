// gain: multiplies the colours of each frame by a number from 0 to 2.

#include <stdlib.h>

#include "plugin.h"

typedef struct {
  unsigned int size;
  double gain;
} Gain;

int f0r_init(void) { return 1; }

void f0r_deinit(void) {}

void f0r_get_plugin_info(f0r_plugin_info_t* info) {
  if (!gain_fill_plugin_info_t(info)) {
    return;
  }
  info->plugin_type = F0R_PLUGIN_TYPE_FILTER;
  info->color_model = F0R_COLOR_MODEL_RGBA8888;
  info->num_params = 1;
  info->explanation = "Multiplies all colours";
}

void f0r_get_param_info(f0r_param_info_t* info, int param_index) {
  (void)param_index;
  if (!gain_fill_param_info_t(info)) {
    return;
  }
  info->name = "gain";
  info->type = F0R_PARAM_DOUBLE;
  info->explanation = "0.5 changes nothing";
}

f0r_instance_t f0r_construct(unsigned int width, unsigned int height) {
  Gain* it = malloc(sizeof(*it));
  if (it != NULL) {
    it->size = width * height * 4;
    it->gain = 0.5;
  }
  return it;
}

void f0r_destruct(f0r_instance_t instance) { free(instance); }

void f0r_set_param_value(f0r_instance_t instance, f0r_param_t param,
                         int param_index) {
  (void)param_index;
  ((Gain*)instance)->gain = *(const double*)param;
}

void f0r_get_param_value(f0r_instance_t instance, f0r_param_t param,
                         int param_index) {
  (void)param_index;
  *(double*)param = ((const Gain*)instance)->gain;
}

void f0r_update(f0r_instance_t instance, double time, const uint32_t* inframe,
                uint32_t* outframe) {
  (void)time;
  const Gain* it = instance;
  const unsigned char* from = (const unsigned char*)inframe;
  unsigned char* to = (unsigned char*)outframe;
  for (unsigned int at = 0; at < it->size; ++at) {
    const double value = from[at] * it->gain * 2;
    to[at] = at % 4 == 3 ? from[at] : (unsigned char)(value < 255 ? value : 255);
  }
}

// Optional.
void f0r_update2(f0r_instance_t instance, double time, const uint32_t* inframe1,
                 const uint32_t* inframe2, const uint32_t* inframe3,
                 uint32_t* outframe) {
  (void)inframe2;
  (void)inframe3;
  f0r_update(instance, time, inframe1, outframe);
}
