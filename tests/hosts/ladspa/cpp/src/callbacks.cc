// gain: an amplifier with one control and one channel.

#include "plugin.hpp"

namespace {
enum { kGain, kInput, kOutput, kPorts };

struct Gain {
  LADSPA_Data* ports[kPorts];
  LADSPA_Data adding;
};

Gain* ItOf(LADSPA_Handle handle) { return static_cast<Gain*>(handle); }
}  // namespace

LADSPA_Handle gain::DescriptorFns::instantiate(const LADSPA_Descriptor*,
                                               unsigned long) {
  return new Gain{};
}

void gain::DescriptorFns::connect_port(LADSPA_Handle handle, unsigned long port,
                                       LADSPA_Data* data) {
  ItOf(handle)->ports[port] = data;
}

void gain::DescriptorFns::activate(LADSPA_Handle) {}

void gain::DescriptorFns::run(LADSPA_Handle handle, unsigned long count) {
  auto& ports = ItOf(handle)->ports;
  for (unsigned long at = 0; at < count; ++at) {
    ports[kOutput][at] = *ports[kGain] * ports[kInput][at];
  }
}

void gain::DescriptorFns::run_adding(LADSPA_Handle handle,
                                     unsigned long count) {
  auto& ports = ItOf(handle)->ports;
  for (unsigned long at = 0; at < count; ++at) {
    ports[kOutput][at] +=
        ItOf(handle)->adding * *ports[kGain] * ports[kInput][at];
  }
}

void gain::DescriptorFns::set_run_adding_gain(LADSPA_Handle handle,
                                              LADSPA_Data gain) {
  ItOf(handle)->adding = gain;
}

void gain::DescriptorFns::deactivate(LADSPA_Handle) {}

void gain::DescriptorFns::cleanup(LADSPA_Handle handle) { delete ItOf(handle); }

const LADSPA_Descriptor* ladspa_descriptor(unsigned long Index) {
  static const LADSPA_PortDescriptor ports[] = {
      LADSPA_PORT_INPUT | LADSPA_PORT_CONTROL,
      LADSPA_PORT_INPUT | LADSPA_PORT_AUDIO,
      LADSPA_PORT_OUTPUT | LADSPA_PORT_AUDIO};
  static const char* const names[] = {"Gain", "Input", "Output"};
  static const LADSPA_PortRangeHint hints[kPorts] = {
      {LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_DEFAULT_1, 0, 0}, {}, {}};
  static LADSPA_Descriptor table;
  if (Index != 0 || !gain::Fill(&table)) {
    return nullptr;
  }
  table.Properties = LADSPA_PROPERTY_HARD_RT_CAPABLE;
  table.PortCount = kPorts;
  table.PortDescriptors = ports;
  table.PortNames = names;
  table.PortRangeHints = hints;
  return &table;
}
