// Macros for code, a type and an attribute take arguments now; one takes none any more.
#ifndef INIT_H_
#define INIT_H_

#define INIT(name) __attribute__((constructor)) static void init_##name(void)
#define NUMBER(bits) unsigned int
#define LATER(why) __attribute__((unused))
#define EACH do { run(1); } while (0)
void run(int x);

#endif  // INIT_H_
