#ifndef EXAMPLE_TOY_H_
#define EXAMPLE_TOY_H_

#ifdef __cplusplus
extern "C" {
#endif

int toy_count(void);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_TOY_H_
