#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many. */
#define KILN_ZONES 4
/* Twice. */
#define KILN_TWICE(x) ((x) * 2)

typedef struct SP_Kiln {
  size_t struct_size;
  int32_t heat;    /* The heat. Required. */
  int32_t fuel;    /* The fuel. */
  int32_t spare1;
  int32_t door;    /* The door. Set by core. */
  int32_t chimney; /* The chimney. */
} SP_Kiln;

int SP_Light(SP_Kiln* kiln);

#ifdef __cplusplus
}
#endif
