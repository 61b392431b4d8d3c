int (a), (*b), ((c))[2], (((*d)))(int); typedef int (T); T (e); struct S { int (f); int (*(g))(void); };
