// It is the first member of the struct that is embedded first. Should not trigger.
#ifndef PLAYER_H_
#define PLAYER_H_

#include <stddef.h>
#include <stdint.h>

typedef struct PlayerBase {
  size_t struct_size;
  uint64_t version;
} PlayerBase;

typedef struct PlayerOptions {
  PlayerBase base;
  double speed;
} PlayerOptions;

#endif  // PLAYER_H_
