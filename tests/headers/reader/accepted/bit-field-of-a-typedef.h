typedef unsigned int U; struct S { U a : 3; U : 2; U b : 4, : 1; };
