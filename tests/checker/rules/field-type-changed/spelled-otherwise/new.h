// Other spellings of the same types, at every depth. Should not trigger.
#ifndef SPELL_H_
#define SPELL_H_

#include <stddef.h>
#include <stdint.h>

#define SPELL_BOOL unsigned char

typedef struct spell_buffer {
  void* data;
  size_t bytes;
} spell_buffer;

typedef struct SpellArgs {
  size_t struct_size;
  unsigned int flags;
  char const* name;
  spell_buffer* buffer;
  signed long long offset;
  SPELL_BOOL ready;
  signed (*compare)(void const* left, void const* right);
} SpellArgs;

#endif  // SPELL_H_
