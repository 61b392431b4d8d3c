#pragma once
enum { A_U, A_X, __A_MAX, A_LATE };
