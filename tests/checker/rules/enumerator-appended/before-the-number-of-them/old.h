// The last name is how many there are; its name says so in camel case.
#ifndef KINDS_H_
#define KINDS_H_

typedef enum {
  meshInt8 = 0,
  meshInt32 = 1,
  meshFloat = 2,
  meshNumTypes = 3
} meshType;

#endif  // KINDS_H_
