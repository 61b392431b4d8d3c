#ifndef EXAMPLE_PARTS_TYPE_H_
#define EXAMPLE_PARTS_TYPE_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Toy Toy;

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_PARTS_TYPE_H_
