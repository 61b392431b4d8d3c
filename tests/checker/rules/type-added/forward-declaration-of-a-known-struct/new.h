// A forward declaration of a struct that is defined further down is no new type. Should not trigger.
#ifndef NODE_H_
#define NODE_H_

#include <stddef.h>

typedef struct Node Node;

struct Node {
  size_t struct_size;
  Node* next;
};

#endif  // NODE_H_
