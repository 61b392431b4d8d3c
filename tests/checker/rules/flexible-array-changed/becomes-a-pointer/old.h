// The bytes used to follow the header; now they stand elsewhere. Should trigger.
#ifndef MESSAGE_H_
#define MESSAGE_H_

#include <stdint.h>

typedef struct Message {
  uint64_t length;
  uint8_t bytes[];
} Message;

#endif  // MESSAGE_H_
