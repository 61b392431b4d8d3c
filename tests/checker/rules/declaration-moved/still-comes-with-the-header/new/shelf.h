#ifndef EXAMPLE_SHELF_H_
#define EXAMPLE_SHELF_H_

#ifdef __cplusplus
extern "C" {
#endif

int toy_weigh(const struct Toy* toy);
int shelf_height(void);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_SHELF_H_
