// Only the plugin's prefix occurs, but at all structs but one. Should trigger for that one.
#ifndef EXAMPLE_ONE_PREFIX_AT_MOST_STRUCTS_H_
#define EXAMPLE_ONE_PREFIX_AT_MOST_STRUCTS_H_

#include <stddef.h>
#include <stdint.h>

#define BAND_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct SP_Drum {
  size_t struct_size;
  void* ext;
  int64_t beats;
} SP_Drum;

#define SP_DRUM_STRUCT_SIZE BAND_END(SP_Drum, beats)

typedef struct SP_Horn {
  size_t struct_size;
  void* ext;
  int64_t notes;
} SP_Horn;

#define SP_HORN_STRUCT_SIZE BAND_END(SP_Horn, notes)

typedef struct Flute {
  size_t struct_size;
  void* ext;
  int64_t holes;
} Flute;

#define FLUTE_STRUCT_SIZE BAND_END(Flute, holes)

#endif  // EXAMPLE_ONE_PREFIX_AT_MOST_STRUCTS_H_
