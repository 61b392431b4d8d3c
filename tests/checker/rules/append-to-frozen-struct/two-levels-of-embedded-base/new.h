// struct_size is the first member of the first member's first member. Should not trigger.
#ifndef CHAIN_H_
#define CHAIN_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ChainHeader {
  size_t struct_size;
} ChainHeader;

typedef struct ChainNode {
  ChainHeader header;
  struct ChainNode* next;
} ChainNode;

typedef struct ChainOption {
  ChainNode node;
  int64_t value;
  int64_t maximum;  // 0 is no-op.
} ChainOption;

#define CHAIN_OPTION_SIZE (offsetof(ChainOption, maximum) + sizeof(((ChainOption*)0)->maximum))

#endif  // CHAIN_H_
