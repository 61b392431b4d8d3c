// The handle was a pointer and becomes a number. Should trigger.
#ifndef SOCK_H_
#define SOCK_H_

#include <stdint.h>

typedef struct sock_st* sock_t;

sock_t sock_open(const char* address);
void sock_close(sock_t sock);

#endif  // SOCK_H_
