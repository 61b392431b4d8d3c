// The union lies at the end, and the new member begins behind all of OLD: struct_size tells that it is there.
#include <stddef.h>
#include <stdint.h>

typedef struct Event {
  size_t struct_size;
  int32_t kind;
  union {
    int64_t raw;
    struct {
      int32_t x;
      int32_t y;
    };
  };
} Event;

void event_send(const Event* event);
