// What stayed is in a union of its own within the union, which says as little about the new alternative.
#pragma once

#include <stddef.h>

#pragma pack(push, 2)
struct toy_tail {
  size_t struct_size;
  short row;
  union {
    int word;
    union {
      char byte;
    };
  };
};
#pragma pack(pop)

struct toy_room {
  size_t struct_size;
  union {
    int narrow;
    union {
      long long wide;
    };
  };
};

void toy_use(const struct toy_tail* tail, const struct toy_room* room);
