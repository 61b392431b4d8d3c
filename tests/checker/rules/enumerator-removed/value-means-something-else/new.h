// 1 meant a surface, which has another value now; a shader has 1, and is no new name for it.
#ifndef KIND_H_
#define KIND_H_

enum Kind { KIND_NONE, KIND_SHADER_SPIRV, KIND_CHAIN, KIND_CRIMSON, KIND_SURFACE_LAYER };

#endif  // KIND_H_
