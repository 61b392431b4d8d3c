// Not every word behind "use" or "replaces" is a name. A member of a struct that the comment names has to be that struct's.
#ifndef EXAMPLE_PROSE_H_
#define EXAMPLE_PROSE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DeckCard {
  size_t struct_size;
  int32_t rank;   // Deprecated. Use the other one.
  int32_t suit;   // Deprecated. Use DeckPile.count.
  int32_t value;  // Replaces the old way of counting.
  int32_t back;   // Deprecated. Use DeckPile.rank.
} DeckCard;

typedef struct DeckPile {
  size_t struct_size;
  int32_t count;
} DeckPile;

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_PROSE_H_
