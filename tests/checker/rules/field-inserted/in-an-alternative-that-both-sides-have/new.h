// What comes behind the last member of an alternative lies in the bytes of others: nobody tells that it is there.
#include <stddef.h>
#include <stdint.h>

typedef struct Event {
  size_t struct_size;
  union {
    struct {
      int32_t x;
      int32_t y;
      int32_t pressure;
    };
    int64_t raw[4];
  };
  int32_t kind;
} Event;

void event_send(const Event* event);
