#pragma once
enum { A_U, A_X, A_Y, __A_MAX, A_LATE };
