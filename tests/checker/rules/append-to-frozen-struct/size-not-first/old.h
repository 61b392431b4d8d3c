// The size stands behind a tag: it does not stand first, as the convention has it.
#ifndef TILE_H_
#define TILE_H_

#include <stddef.h>

typedef enum TileKind { TILE_PLAIN } TileKind;

typedef struct Tile {
  TileKind kind;
  size_t struct_size;
  void* next;
} Tile;

int tile_draw(const Tile* tile);

#endif  // TILE_H_
