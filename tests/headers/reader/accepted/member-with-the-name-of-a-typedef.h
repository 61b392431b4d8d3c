typedef int T; struct S { T T; int a, U; }; struct R { unsigned T; const T x; };
