#ifndef BROKEN_H_
#define BROKEN_H_
typedef struct Part {
  int first
  Unknown second;
} Part;
int open(Part* part, Mode mode);
#endif
