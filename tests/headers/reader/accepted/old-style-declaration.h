int f(); void (*g)(); int h(int (*)());
