#pragma once
#include <stdint.h>
enum E { A, B };
uint64_t f(void);
