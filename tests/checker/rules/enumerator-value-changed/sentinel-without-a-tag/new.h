#pragma once
enum { A_U, A_X, A_Y, __A_MAX };
#define A_MAX (__A_MAX - 1)
