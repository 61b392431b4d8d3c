#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <setjmp.h>
void f(FILE *f, struct tm *t, time_t n, div_t d, sigset_t *s, jmp_buf j, clock_t c);
struct S { struct timespec ts; struct tm tm; };
