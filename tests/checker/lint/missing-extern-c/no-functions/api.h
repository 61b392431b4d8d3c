// Nothing that a linker would see: types, and a function that its users compile. Should not trigger.
#ifndef PLAIN_H_
#define PLAIN_H_

typedef struct PlainApi {
  int (*open)(const char* path);
  int (*close)(int handle);
} PlainApi;

static inline int plain_half(int value) { return value / 2; }

#endif  // PLAIN_H_
