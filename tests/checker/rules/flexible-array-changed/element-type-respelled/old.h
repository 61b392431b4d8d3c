// The same elements under another name. Should not trigger.
#ifndef MESSAGE_H_
#define MESSAGE_H_

#include <stdint.h>

typedef struct Message {
  uint64_t length;
  unsigned char bytes[];
} Message;

#endif  // MESSAGE_H_
