typedef void (*cb)(void *data, int n); typedef void raw(int); typedef cb (*make)(cb, raw *);
void reg(cb c, raw r);
