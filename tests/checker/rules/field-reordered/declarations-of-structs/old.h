// Whole declarations change places; no member does. Should not trigger.
#ifndef MESH_H_
#define MESH_H_

#include <stddef.h>
#include <stdint.h>

typedef struct MeshVertex {
  float x, y, z;
} MeshVertex;

typedef struct MeshFace {
  uint32_t corner[3];
} MeshFace;

int32_t mesh_weld(MeshVertex* vertices, size_t count);
int32_t mesh_flip(MeshFace* faces, size_t count);

#endif  // MESH_H_
