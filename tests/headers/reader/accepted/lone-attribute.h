__attribute__((unused)) static int x; [[]] int y; __attribute__((aligned(4))) int z;
