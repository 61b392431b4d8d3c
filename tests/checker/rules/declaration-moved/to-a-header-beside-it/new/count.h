#ifndef EXAMPLE_COUNT_H_
#define EXAMPLE_COUNT_H_

#define TOY_MOST 4

#ifdef __cplusplus
extern "C" {
#endif

int toy_count(void);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_COUNT_H_
