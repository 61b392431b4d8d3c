#ifndef EXAMPLE_TOY_H_
#define EXAMPLE_TOY_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Toy Toy;
int toy_count(const Toy* toy);
int toy_weigh(const Toy* toy);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_TOY_H_
