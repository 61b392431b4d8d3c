#pragma once
#include <stddef.h>
struct canxl { int a; unsigned char data[64]; };
#define CANXL_HDR_SIZE (offsetof(struct canxl, data))
#define CANXL_MIN_MTU (CANXL_HDR_SIZE + 64)
#define CANXL_MTU (sizeof(struct canxl))
#define CANXL_MAX_MTU CANXL_MTU
int f(struct canxl *);
