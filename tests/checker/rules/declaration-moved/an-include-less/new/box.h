#ifndef EXAMPLE_BOX_H_
#define EXAMPLE_BOX_H_

#ifdef __cplusplus
extern "C" {
#endif

int box_size(void);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_BOX_H_
