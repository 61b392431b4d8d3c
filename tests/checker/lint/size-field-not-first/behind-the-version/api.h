// A reader has to know the struct before it can find its size. Should trigger.
#ifndef PLAYER_H_
#define PLAYER_H_

#include <stddef.h>
#include <stdint.h>

typedef struct PlayerOptions {
  uint64_t version;
  size_t struct_size;
  double speed;
} PlayerOptions;

typedef struct PlayerState {
  size_t struct_size;
  double position;
} PlayerState;

#endif  // PLAYER_H_
