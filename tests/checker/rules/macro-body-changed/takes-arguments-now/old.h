// Macros for code, a type and an attribute take arguments now; one takes none any more.
#ifndef INIT_H_
#define INIT_H_

#define INIT __attribute__((constructor)) static void init(void)
#define NUMBER unsigned int
#define LATER __attribute__((unused))
#define EACH(x) do { run(x); } while (0)
void run(int x);

#endif  // INIT_H_
