#ifndef EXAMPLE_TABLE_OF_STRUCTS_H_
#define EXAMPLE_TABLE_OF_STRUCTS_H_

#include <stddef.h>
#include <stdint.h>

#define NODE_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct NodeInfo {
  size_t struct_size;
  int64_t id;
} NodeInfo;

#define NODE_INFO_STRUCT_SIZE NODE_END(NodeInfo, id)

extern NodeInfo node_known[4];

void node_add(const NodeInfo* node_list, int32_t nnodes);

#endif  // EXAMPLE_TABLE_OF_STRUCTS_H_
