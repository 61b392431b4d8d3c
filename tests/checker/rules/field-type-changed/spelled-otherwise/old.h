// Other spellings of the same types, at every depth. Should not trigger.
#ifndef SPELL_H_
#define SPELL_H_

#include <stddef.h>
#include <stdint.h>

#define SPELL_BOOL unsigned char

struct spell_buffer {
  void* data;
  size_t bytes;
};

typedef struct SpellArgs {
  size_t struct_size;
  unsigned flags;
  const char* name;
  struct spell_buffer* buffer;
  long long int offset;
  unsigned char ready;
  int (*compare)(const void*, const void*);
} SpellArgs;

#endif  // SPELL_H_
