#ifndef API_H
#define API_H
#include <stdint.h>

enum par_field { PAR_FIELD_COLOR = 1 << 0, PAR_FIELD_DEPTH = 1 << 1, PAR_FIELD_WIDTH = 1 << 2 };

typedef struct par {
  uint64_t field_mask; /* Mask of valid fields in this structure, by bits of par_field. */
  int32_t color;
  int32_t depth;
} par_t;
#endif
