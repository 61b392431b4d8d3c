#ifndef EXAMPLE_OPAQUE_TYPES_H_
#define EXAMPLE_OPAQUE_TYPES_H_

#include <stdint.h>

typedef struct CastRole CastRole;
typedef struct CastActor CastActor;
struct CastScene {
  int32_t number;
};
typedef struct CastScene CastScene;

void cast_assign(CastActor* actor, CastRole* role, const CastScene* scene);

#endif  // EXAMPLE_OPAQUE_TYPES_H_
