// 1 meant a surface, which has another value now; a shader has 1, and is no new name for it.
#ifndef KIND_H_
#define KIND_H_

enum Kind { KIND_NONE, KIND_SURFACE_FROM_LAYER, KIND_CHAIN, KIND_RED };

#endif  // KIND_H_
