// The name stood for the type as a macro and now does as a typedef: no code can tell. Should not trigger.
#ifndef BOOL_H_
#define BOOL_H_

#include <stddef.h>

typedef unsigned char TP_Bool;

typedef struct TP_Options {
  size_t struct_size;
  TP_Bool verbose;
} TP_Options;

#endif  // BOOL_H_
