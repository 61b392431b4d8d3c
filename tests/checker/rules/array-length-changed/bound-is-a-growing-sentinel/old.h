// One more channel, and every array that the sentinel measures grows with it. Should trigger.
#ifndef MIXER_H_
#define MIXER_H_

#include <stddef.h>
#include <stdint.h>

typedef enum MixerChannel {
  MIXER_LEFT,
  MIXER_RIGHT,
  MIXER_CHANNEL_COUNT
} MixerChannel;

typedef struct MixerState {
  size_t struct_size;
  float gain[MIXER_CHANNEL_COUNT];
  int64_t clock;
} MixerState;

void mixer_mute(MixerChannel channel);

#endif  // MIXER_H_
