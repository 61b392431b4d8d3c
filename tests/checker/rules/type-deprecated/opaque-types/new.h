// The comment stands at the typedef that declares the type, before or behind it. Should trigger once per type.
#ifndef EXAMPLE_OPAQUE_TYPES_H_
#define EXAMPLE_OPAQUE_TYPES_H_

#include <stdint.h>

typedef struct CastRole CastRole;  // Deprecated. Use CastScene.
// Deprecating soon.
typedef struct CastActor CastActor;
struct CastScene {
  int32_t number;
};
typedef struct CastScene CastScene;  // Deprecated.

void cast_assign(CastActor* actor, CastRole* role, const CastScene* scene);

#endif  // EXAMPLE_OPAQUE_TYPES_H_
