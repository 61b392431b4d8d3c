#ifndef _ABIGEN_STDLIB_H
#define _ABIGEN_STDLIB_H
#include <stddef.h>
typedef struct {
  int quot;
  int rem;
} div_t;
typedef struct {
  long quot;
  long rem;
} ldiv_t;
typedef struct {
  long long quot;
  long long rem;
} lldiv_t;
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#ifdef _WIN32
#define RAND_MAX 32767
#else
#define RAND_MAX 2147483647
#endif
#endif
