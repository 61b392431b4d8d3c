// gain: an amplifier with one control and one channel.

#include <stdlib.h>

#include "plugin.h"

enum { kGain, kInput, kOutput, kPorts };

typedef struct {
  LADSPA_Data* ports[kPorts];
  LADSPA_Data adding;
} Gain;

LADSPA_Handle gain_instantiate(const LADSPA_Descriptor* Descriptor,
                               unsigned long SampleRate) {
  (void)Descriptor;
  (void)SampleRate;
  return calloc(1, sizeof(Gain));
}

void gain_connect_port(LADSPA_Handle Instance, unsigned long Port,
                       LADSPA_Data* DataLocation) {
  ((Gain*)Instance)->ports[Port] = DataLocation;
}

void gain_activate(LADSPA_Handle Instance) { (void)Instance; }

void gain_run(LADSPA_Handle Instance, unsigned long SampleCount) {
  const Gain* it = Instance;
  for (unsigned long at = 0; at < SampleCount; ++at) {
    it->ports[kOutput][at] = *it->ports[kGain] * it->ports[kInput][at];
  }
}

void gain_run_adding(LADSPA_Handle Instance, unsigned long SampleCount) {
  const Gain* it = Instance;
  for (unsigned long at = 0; at < SampleCount; ++at) {
    it->ports[kOutput][at] +=
        it->adding * *it->ports[kGain] * it->ports[kInput][at];
  }
}

void gain_set_run_adding_gain(LADSPA_Handle Instance, LADSPA_Data Gain_) {
  ((Gain*)Instance)->adding = Gain_;
}

void gain_deactivate(LADSPA_Handle Instance) { (void)Instance; }

void gain_cleanup(LADSPA_Handle Instance) { free(Instance); }

const LADSPA_Descriptor* ladspa_descriptor(unsigned long Index) {
  static const LADSPA_PortDescriptor ports[] = {
      LADSPA_PORT_INPUT | LADSPA_PORT_CONTROL,
      LADSPA_PORT_INPUT | LADSPA_PORT_AUDIO,
      LADSPA_PORT_OUTPUT | LADSPA_PORT_AUDIO};
  static const char* const names[] = {"Gain", "Input", "Output"};
  static const LADSPA_PortRangeHint hints[kPorts] = {
      {LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_DEFAULT_1, 0, 0}};
  static LADSPA_Descriptor table;
  if (Index != 0 || !gain_fill_descriptor(&table)) {
    return NULL;
  }
  table.Properties = LADSPA_PROPERTY_HARD_RT_CAPABLE;
  table.PortCount = kPorts;
  table.PortDescriptors = ports;
  table.PortNames = names;
  table.PortRangeHints = hints;
  return &table;
}
