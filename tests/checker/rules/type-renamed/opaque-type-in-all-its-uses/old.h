#ifndef EXAMPLE_OPAQUE_TYPE_IN_ALL_ITS_USES_H_
#define EXAMPLE_OPAQUE_TYPE_IN_ALL_ITS_USES_H_

#include <stddef.h>

typedef struct DocPage DocPage;

typedef struct DocFns {
  size_t struct_size;
  void (*each)(void (*visit)(DocPage* page), DocPage* first);
} DocFns;

DocPage* doc_open(const char* path);
void doc_close(DocPage* page);

#endif  // EXAMPLE_OPAQUE_TYPE_IN_ALL_ITS_USES_H_
