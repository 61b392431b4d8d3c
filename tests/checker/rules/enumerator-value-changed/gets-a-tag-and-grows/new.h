#pragma once
enum a_op { A_U, A_X, A_Y,
 /* this goes last */
 A_LAST, };
int f(int);
