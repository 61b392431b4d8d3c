// An opaque type has no members to be known by; every use of the old name became one of the new. Should trigger once.
#ifndef EXAMPLE_OPAQUE_TYPE_IN_ALL_ITS_USES_H_
#define EXAMPLE_OPAQUE_TYPE_IN_ALL_ITS_USES_H_

#include <stddef.h>

typedef struct DocLeaf DocLeaf;

typedef struct DocFns {
  size_t struct_size;
  void (*each)(void (*visit)(DocLeaf* page), DocLeaf* first);
} DocFns;

DocLeaf* doc_open(const char* path);
void doc_close(DocLeaf* page);

#endif  // EXAMPLE_OPAQUE_TYPE_IN_ALL_ITS_USES_H_
