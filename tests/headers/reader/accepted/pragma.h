_Pragma("pack(push,1)") struct A { char c; int i; }; _Pragma("pack(pop)") int x;
