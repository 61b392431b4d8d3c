#pragma once
#include <stddef.h>
typedef struct TS { size_t struct_size; int a; } TS;
#define TS_STRUCT_SIZE (offsetof(TS, a) + sizeof(((TS *)0)->a))
int f(TS *t);
