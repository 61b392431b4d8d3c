// Bytes that were kept free go, and what stands behind them moves up.
#ifndef ROOM_H_
#define ROOM_H_

#include <stddef.h>

typedef struct Room {
  size_t struct_size;
  int width;
  int reserved;  // Reserved.
  int height;
} Room;

#endif  // ROOM_H_
