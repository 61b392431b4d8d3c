// Checks a device with the chain that its argument names, and prints what is found.
#include <stdio.h>
#include <string.h>

#include "chain_checks.h"
#include "chain_helpers.h"

static void Toggle(int32_t on) { (void)on; }

static void Print(const CH_Finding* finding, void* context) {
  (void)context;
  printf("%s %s: %s\n", finding->structure, finding->member, finding->message);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  CH_Device device = CH_DEVICE_INITIALIZER;
  CH_Light light = CH_LIGHT_INITIALIZER;
  CH_Sound sound;
  CH_Extension other = {sizeof(CH_Extension), (CH_Kind)77, NULL};
  CH_Extension last = {sizeof(CH_Extension), (CH_Kind)78, NULL};
  if (CH_Sound_Init(&sound, sizeof(sound)) != CH_SOUND_STRUCT_SIZE || sound.base.kind != CH_SOUND) {
    return 2;
  }
  light.toggle = Toggle;
  device.extensions = &other;
  other.next = &light.base;
  light.base.next = &sound.base;
  sound.base.next = &last;
  if (strcmp(what, "none") == 0) {
    device.extensions = NULL;
  } else if (strcmp(what, "older") == 0) {
    light.base.struct_size = CH_LIGHT_STRUCT_SIZE_1_0_0;
  } else if (strcmp(what, "small") == 0) {
    sound.base.struct_size = sizeof(size_t);
  } else if (strcmp(what, "cut") == 0) {
    light.base.struct_size = sizeof(CH_Extension);
  } else if (strcmp(what, "unset") == 0) {
    light.toggle = NULL;
  } else if (strcmp(what, "loop") == 0) {
    last.next = &light.base;
  } else if (strcmp(what, "itself") == 0) {
    other.next = &other;
  } else if (strcmp(what, "kind") == 0) {
    sound.base.kind = CH_LIGHT;
    return CH_Sound_Check(&sound, Print, NULL);
  }
  return CH_Device_Check(&device, Print, NULL);
}
