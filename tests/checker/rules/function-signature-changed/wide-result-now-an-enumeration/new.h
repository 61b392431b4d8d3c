#pragma once
#include <stdint.h>
enum E { A, B };
enum E f(void);
