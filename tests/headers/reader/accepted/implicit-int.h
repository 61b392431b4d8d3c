static x; const y; f(int); extern z;
