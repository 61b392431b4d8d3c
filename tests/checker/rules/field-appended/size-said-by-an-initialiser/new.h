// The initialiser puts the size into the first member.
#ifndef MESH_H_
#define MESH_H_

#include <stddef.h>

typedef struct MeshConfig_v1 {
  size_t size;
  unsigned int magic;
  int blocking;
  const char* label;  // NULL is no-op.
} MeshConfig;

#define MESH_CONFIG_INITIALIZER \
  { sizeof(MeshConfig), 0x4d455348, 1, NULL }

int mesh_join(const char* name, const MeshConfig* config);

#endif  // MESH_H_
