#pragma once
enum { A_U, A_X,
 /* this goes last */
 A_LAST, };
int f(int);
