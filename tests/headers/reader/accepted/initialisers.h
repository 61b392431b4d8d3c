static const int a = 3, b[] = {1, 2, 3}, *c = &a; static const struct { int x, y; } d = {.y = 1, .x = 2};
static int e[3] = {[2] = 5, [0 ... 1] = 4}; static const char *f[] = {"a", "b"};
static void *g = (void *)0, *h = (void *)(1 ? 0 : 1);
static int (*i)(int) = 0; static const struct d { int z; } j = { .z = sizeof(struct { int q; }) };
