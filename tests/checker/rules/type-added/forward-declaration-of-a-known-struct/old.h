// A forward declaration of a struct that is defined further down is no new type. Should not trigger.
#ifndef NODE_H_
#define NODE_H_

#include <stddef.h>

typedef struct Node {
  size_t struct_size;
  struct Node* next;
} Node;

#endif  // NODE_H_
