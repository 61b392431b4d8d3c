// Making an array element versioned afterwards moves every byte behind it. Should trigger.
#ifndef SCENE_H_
#define SCENE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SceneLight {
  size_t struct_size;
  float position[4];
  float color[4];
} SceneLight;

typedef struct SceneFrame {
  size_t struct_size;
  int64_t frame_number;
  SceneLight lights[8];
} SceneFrame;

#endif  // SCENE_H_
